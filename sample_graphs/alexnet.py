"""AlexNet with one tower: five convolutions and three fully connected layers, 1024 classes."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph


def alexnet(batch: int = 128) -> Graph:
    """Build the graph for a batch of 227 x 227 images."""
    build = GraphBuilder("alexnet", note="Krizhevsky et al. 2012, one tower, 1024 classes")
    relu = ("relu",)
    x = build.input("images", (batch, 3, 227, 227))
    x = build.layer("convolution", "conv1", x, n=96, kernel=(11, 11), stride=4, fused=relu)
    x = build.layer("pooling", "pool1", x, kernel=(3, 3), stride=2)
    x = build.layer("convolution", "conv2", x, n=256, kernel=(5, 5), padding="same", fused=relu)
    x = build.layer("pooling", "pool2", x, kernel=(3, 3), stride=2)
    for i, n in ((3, 384), (4, 384), (5, 256)):
        x = build.layer(
            "convolution", f"conv{i}", x, n=n, kernel=(3, 3), padding="same", fused=relu
        )
    x = build.layer("pooling", "pool5", x, kernel=(3, 3), stride=2)
    features = x.n_elements // batch
    x = build.layer("flatten", "flatten", x)
    x = build.layer("unflatten", "rows", x, sizes={"b": batch, "n": features})
    x = build.layer("fully_connected", "fc1", x, n=4096, fused=relu)
    x = build.layer("fully_connected", "fc2", x, n=4096, fused=relu)
    x = build.layer("fully_connected", "fc3", x, n=1024)
    build.layers("cross_entropy", "loss", x)
    return build.graph()
