"""Inception v3: eleven modules of parallel convolutions, each with a batch norm of its own."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor

Kernel = tuple[int, int]


class _Module:
    """Adds numbered convolutions, poolings and a concatenation under one scope."""

    def __init__(self, build: GraphBuilder, scope: str) -> None:
        self.build, self.scope = build, scope

    def conv(
        self, name: str, x: Tensor, n: int, kernel: Kernel, stride: int = 1, padding: str = "same"
    ) -> Tensor:
        """Convolve and normalise."""
        x = self.build.layer(
            "convolution",
            f"{self.scope}/{name}/conv",
            x,
            n=n,
            kernel=kernel,
            stride=stride,
            padding=padding,
        )
        return self.build.layer(
            "normalization",
            f"{self.scope}/{name}/norm",
            x,
            along="b",
            features="c",
            kind="batch normalization",
        )

    def chain(self, name: str, x: Tensor, *steps: tuple[int, Kernel]) -> Tensor:
        """Convolve several times in a row, stride 1."""
        for i, (n, kernel) in enumerate(steps, 1):
            x = self.conv(f"{name}{i}", x, n, kernel)
        return x

    def average(self, x: Tensor) -> Tensor:
        """Pool 3 x 3 windows without changing the size."""
        return self.build.layer(
            "pooling", f"{self.scope}/pool", x, kernel=(3, 3), padding="same", kind="average"
        )

    def halve(self, x: Tensor) -> Tensor:
        """Pool 3 x 3 windows at stride 2."""
        return self.build.layer("pooling", f"{self.scope}/pool", x, kernel=(3, 3), stride=2)

    def join(self, name: str, *parts: Tensor) -> Tensor:
        """Concatenate the channels."""
        return self.build.layer("concat", f"{self.scope}/{name}", *parts, axis=1)


def inception_v3(batch: int = 128) -> Graph:
    """Build the graph for a batch of 299 x 299 images."""
    build = GraphBuilder("inception_v3", note="Szegedy et al. 2016, without auxiliary classifier")
    x = build.input("images", (batch, 3, 299, 299))
    x = _stem(_Module(build, "stem"), x)
    for i, pool in enumerate((32, 64, 64), 1):
        x = _module_a(_Module(build, f"a{i}"), x, pool)
    x = _reduction_a(_Module(build, "b"), x)
    for i, width in enumerate((128, 160, 160, 192), 1):
        x = _module_c(_Module(build, f"c{i}"), x, width)
    x = _reduction_c(_Module(build, "d"), x)
    for i in (1, 2):
        x = _module_e(_Module(build, f"e{i}"), x)
    x = build.layer("mean", "head/mean", x, over=("h", "w"))
    x = build.layer("fully_connected", "head/fc", x, n=1000)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()


def _stem(module: _Module, x: Tensor) -> Tensor:
    x = module.conv("1", x, 32, (3, 3), stride=2, padding="valid")
    x = module.conv("2", x, 32, (3, 3), padding="valid")
    x = module.conv("3", x, 64, (3, 3))
    x = module.build.layer("pooling", "stem/pool1", x, kernel=(3, 3), stride=2)
    x = module.conv("4", x, 80, (1, 1), padding="valid")
    x = module.conv("5", x, 192, (3, 3), padding="valid")
    return module.build.layer("pooling", "stem/pool2", x, kernel=(3, 3), stride=2)


def _module_a(module: _Module, x: Tensor, pool: int) -> Tensor:
    one = module.chain("one", x, (64, (1, 1)))
    five = module.chain("five", x, (48, (1, 1)), (64, (5, 5)))
    three = module.chain("three", x, (64, (1, 1)), (96, (3, 3)), (96, (3, 3)))
    pooled = module.chain("pooled", module.average(x), (pool, (1, 1)))
    return module.join("concat", one, five, three, pooled)


def _reduction_a(module: _Module, x: Tensor) -> Tensor:
    three = module.conv("three", x, 384, (3, 3), stride=2, padding="valid")
    double = module.chain("double", x, (64, (1, 1)), (96, (3, 3)))
    double = module.conv("double3", double, 96, (3, 3), stride=2, padding="valid")
    return module.join("concat", three, double, module.halve(x))


def _module_c(module: _Module, x: Tensor, width: int) -> Tensor:
    one = module.chain("one", x, (192, (1, 1)))
    seven = module.chain("seven", x, (width, (1, 1)), (width, (1, 7)), (192, (7, 1)))
    double = module.chain(
        "double",
        x,
        (width, (1, 1)),
        (width, (7, 1)),
        (width, (1, 7)),
        (width, (7, 1)),
        (192, (1, 7)),
    )
    pooled = module.chain("pooled", module.average(x), (192, (1, 1)))
    return module.join("concat", one, seven, double, pooled)


def _reduction_c(module: _Module, x: Tensor) -> Tensor:
    three = module.chain("three", x, (192, (1, 1)))
    three = module.conv("three2", three, 320, (3, 3), stride=2, padding="valid")
    seven = module.chain("seven", x, (192, (1, 1)), (192, (1, 7)), (192, (7, 1)))
    seven = module.conv("seven4", seven, 192, (3, 3), stride=2, padding="valid")
    return module.join("concat", three, seven, module.halve(x))


def _module_e(module: _Module, x: Tensor) -> Tensor:
    one = module.chain("one", x, (320, (1, 1)))
    three = module.chain("three", x, (384, (1, 1)))
    three = _fork(module, "three", three)
    double = module.chain("double", x, (448, (1, 1)), (384, (3, 3)))
    double = _fork(module, "double", double)
    pooled = module.chain("pooled", module.average(x), (192, (1, 1)))
    return module.join("concat", one, three, double, pooled)


def _fork(module: _Module, name: str, x: Tensor) -> Tensor:
    wide = module.conv(f"{name}_wide", x, 384, (1, 3))
    tall = module.conv(f"{name}_tall", x, 384, (3, 1))
    return module.join(f"{name}_concat", wide, tall)
