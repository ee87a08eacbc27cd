"""Result files: what is no regular file is written to, never replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from pase_core import cli
from pase_core.cli import BAD_INPUT, main
from pase_core.errors import OptionError
from pase_core.exporters.files import check_target, write_text


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """Set the process' umask for one test."""
    before = os.umask(0)
    yield os.umask
    os.umask(before)


def write(target: Path | str, text: str = "new") -> None:
    check_target(str(target))
    write_text(str(target), text)


def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(10)
    assert got == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_gets_the_text_and_stays_a_device():
    ours, theirs = os.openpty()
    target = os.ttyname(theirs)
    before = Path(target).stat()
    write(target)
    assert os.read(ours, 100) == b"new"
    assert Path(target).stat().st_rdev == before.st_rdev
    os.close(ours)
    os.close(theirs)


def test_the_null_device_swallows_the_text():
    write(os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_points_to_is_written(tmp_path, exists):
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    target = folder / "target"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert list(folder.iterdir()) == [target]


@pytest.mark.parametrize(("mask", "wanted"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_obeys_the_umask(tmp_path, umask, mask, wanted):
    umask(mask)
    write(tmp_path / "file")
    assert mode(tmp_path / "file") == wanted


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o666, 0o755])
def test_an_existing_file_keeps_its_permissions(tmp_path, permissions):
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(permissions)
    write(file)
    assert file.read_text() == "new"
    assert mode(file) == permissions
    assert list(tmp_path.iterdir()) == [file]


def test_a_check_changes_nothing(tmp_path):
    file = tmp_path / "file"
    file.write_text("old")
    for target in (file, tmp_path / "other", "-"):
        check_target(str(target))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "Is a directory"),
        ("missing/file", "No such file or directory"),
        ("file/file", "Not a directory"),
        ("x" * 300, "File name too long"),
        ("loop", "Too many levels of symbolic links"),
        ("nul\0", "null"),
    ],
)
def test_what_cannot_be_written_is_told_beforehand(tmp_path, name, complaint):
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = sorted(tmp_path.iterdir())
    for step in (check_target, lambda target: write_text(target, "new")):
        with pytest.raises(OptionError, match=rf"cannot write .*{complaint}.*name another file"):
            step(f"{tmp_path}/{name}")
    assert sorted(tmp_path.iterdir()) == before


def test_files_without_permission_are_told_beforehand(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_arguments: False)  # the tests may run as root
    with pytest.raises(OptionError, match="Permission denied"):
        check_target(str(file))


@pytest.mark.parametrize("verb", ["solve", "compare"])
@pytest.mark.parametrize("target", ["missing/file", ""])
def test_the_search_does_not_start_if_its_result_cannot_be_written(
    capsys, monkeypatch, tmp_path, verb, target
):
    monkeypatch.chdir(tmp_path)
    searching = {"solve": "study", "compare": "compare_with_files"}[verb]
    monkeypatch.setattr(cli, searching, lambda *_arguments, **_more: pytest.fail("it searched"))
    assert main([verb, "alexnet", "--json", target]) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pase: cannot write ")
    assert err.count("\n") == 1
