"""What every command shares: exit codes, errors in a line, no window for a misspelled command."""


import pytest

from emberscope.cli import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["embed", "nowhere.npz", "--method", "pca", "--out", "o.npz"],
        ["embed", "{points}", "--method", "no-such", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--set", "n_components=many", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--set", "n_components", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--out", "no-folder/o.npz"],
        ["embed", "{points}", "--method", "pca", "--out", "."],
        ["classify", "{points}", "--method", "knn", "--folds", "90"],
        ["classify", "{points}", "--method", "knn", "--set", "n_components=3"],
        ["info", "nowhere.arf"],
        ["info", "nowhere.ember"],
        ["export", "nowhere.ember", "--to", "csv", "out"],
        ["run", "nowhere.toml", "--project", "nowhere.ember"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_wrong_call_gives_one_line_and_code_1(
    arguments, point_file, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main([word.replace("{points}", str(point_file)) for word in arguments]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith("emberscope: ")
    assert len(printed.err.strip().splitlines()) == 1
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(
    "arguments",
    [
        "embed --method pca",
        "embed in.npz --method pca --out o.npz --seed -1",
        "classify in.npz --method svm",
        "classify in.npz --method knn --folds 1",
        "classify in.npz --method knn --repeats 0",
        "import p.ember clip.npy --weaken 7",
        "import p.ember clip.npy --every 0",
        "import p.ember clip.npy --background -1",
        "import p.ember clip.npy --background-rule nearby",
        "import p.ember clip.npy --every often",
        "export p.ember --to docx out",
        "demo --seed x",
        "info p.ember --jsn",
    ],
)
def test_wrong_usage_ends_with_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("emberscope: ")
    assert line.endswith(f"See: emberscope {arguments.split()[0]} --help")


def test_a_word_that_is_neither_command_nor_file_opens_no_window(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["emebd"]) == 2
    assert "neither a command nor a file" in capsys.readouterr().err


def test_a_defect_asks_to_be_reported(monkeypatch, capsys):
    monkeypatch.setattr("emberscope.doctor.examine", lambda: 1 / 0)
    assert main(["doctor"]) == 1
    assert "defect: ZeroDivisionError" in capsys.readouterr().err


def test_debug_shows_where_an_error_came_from(tmp_path):
    with pytest.raises(Exception, match="no such file"):
        main(
            ["embed", str(tmp_path / "nowhere.npz"), "--method", "pca", "--out", "o.npz", "--debug"]
        )
