"""`emberscope export`, called as a person calls it."""



from emberscope.cli import main


def test_choices_of_vectors_are_refused_where_no_vectors_are_made(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--dimensions", "3"]) == 1
    assert "--dimensions and --set say nothing of csv. Leave them out, or give --to bags." in capsys.readouterr().err


def test_a_coloring_is_refused_where_no_image_is_made(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--color", "score"]) == 1
    assert "--color and --theme say nothing of csv. Leave them out, or give --to png." in capsys.readouterr().err
