import pytest

from emberscope.base.errors import FormatError
from emberscope.frames.truth import _agt_tree
from emberscope.frames.truth.agt import (
    Agt,
    SensorUpdate,
    Target,
    TargetUpdate,
    associate,
    ply_key,
    read_agt,
    write_agt,
)

FULL = """Agt {
  PrjSect { Name "night run" Scenario "cegr01923_0011" LatLong 38 52 1 "N" 77 2 3 "W" }
  SenSect {
    Name "MWIR" Fov 3.4 2.6
    SenUpd { Time 2006 32 13 59 30 250 Fov 3.5 2.5 PLATFORM_LATITUDE 63.835 }
  }
  TgtSect {
    TgtUpd {
      Time 2006 32 13 59 30 250
      Keyword "Frame# 1"
      Keyword "Speed 5.5 m/s"
      Tgt {
        TgtType "T72" PlyId 054 Aspect 87.5 Range 1000.25 PixLoc -3 197
        Keyword "Heading north"
        TgtSenRel { Azimuth 0.5 Obscuration 10 } TgtAbs { Utm 1 2 3 Stake "B7" }
      }
    }
  }
}
"""


def agt(tmp_path, text, name="a.agt"):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
    return read_agt(tmp_path / name)


def updates(*hints, times=None):
    times = times or [None] * len(hints)
    return tuple(
        TargetUpdate(targets=(Target(type=f"T{i}", ply_id=str(i)),), hint=hint, time=time)
        for i, (hint, time) in enumerate(zip(hints, times))
    )


def frames_of(found):
    return {frame: [target.type for target in targets] for frame, targets in found.targets.items()}


def test_a_whole_file_is_read(tmp_path):
    found = agt(tmp_path, FULL)
    (update,) = found.target_updates
    (target,) = update.targets
    assert found.project["Scenario"] == "cegr01923_0011"
    assert found.project["LatLong"] == [38, 52, 1, "N", 77, 2, 3, "W"]
    assert (found.fov, found.sensor_updates[0].fov) == ((3.4, 2.6), (3.5, 2.5))
    assert found.sensor_updates[0].extra == {"PLATFORM_LATITUDE": 63.835}
    assert (update.hint, update.time) == (1, (2006, 32, 13, 59, 30, 250))
    assert update.keywords == {"Speed": (5.5, "m/s")}
    assert (target.type, target.ply_id, target.aspect, target.range_m) == (
        "T72",
        "54",
        87.5,
        1000.25,
    )
    assert target.keywords == {"Heading": ("north", "")}
    assert target.relative == {"Azimuth": 0.5, "Obscuration": 10}
    assert target.absolute == {"Utm": [1, 2, 3], "Stake": "B7"}
    assert found.warnings == ()


def test_a_place_left_of_the_frame_is_kept(tmp_path):
    target = agt(tmp_path, FULL).target_updates[0].targets[0]
    assert (target.x, target.y) == (-3, 197)


def test_an_unclosed_string_ends_with_its_line(tmp_path):
    found = agt(tmp_path, 'Agt { TgtSect { TgtUpd { Tgt { TgtType "T72\nPlyId 7 PixLoc 3 4 } } } }')
    target = found.target_updates[0].targets[0]
    assert (target.type, target.ply_id, target.x) == ("T72", "7", 3)


def test_missing_closing_braces_are_a_warning(tmp_path):
    found = agt(tmp_path, "Agt { TgtSect { TgtUpd { Tgt { PixLoc 3 4 } }")
    assert found.target_updates[0].targets[0].x == 3
    assert found.warnings == ("2 closing braces are missing at the end.",)


def test_an_extra_closing_brace_is_a_warning(tmp_path):
    assert agt(tmp_path, "Agt { TgtSect { } } }").warnings == (
        "A closing brace has no opening one.",
    )


def test_dos_lines_tabs_and_strange_bytes_are_fine(tmp_path):
    found = agt(tmp_path, b'Agt {\r\n\tPrjSect {\r\n\tName "caf\xe9 \xff"\r\n}\r\n}')
    assert found.project["Name"] == "caf\xe9 \xff"


def test_unknown_containers_and_words_are_passed_over(tmp_path):
    found = agt(
        tmp_path,
        "Agt { Weather { Rain { Much 1 } } TgtSect { TgtUpd { Odd 1 2 Tgt { PixLoc 1 2 New 7 } } } "
        "}",
    )
    assert found.target_updates[0].targets[0].extra == {"New": 7}


def test_a_real_may_have_an_exponent(tmp_path):
    found = agt(tmp_path, "Agt { TgtSect { TgtUpd { Tgt { Range 1.5E3 Aspect -.5 } } } }")
    target = found.target_updates[0].targets[0]
    assert (target.range_m, target.aspect) == (1500, -0.5)


def test_a_scalar_that_is_neither_word_nor_number_is_kept_as_text(tmp_path):
    assert agt(tmp_path, "Agt { PrjSect { Site 12:30:01 } }").project["Site"] == "12:30:01"


@pytest.mark.parametrize("text", ["", "hello world", "{}{}{}", "\0\1\2" * 99])
def test_a_file_without_any_section_is_refused(tmp_path, text):
    with pytest.raises(FormatError, match="this is not an AGT file"):
        agt(tmp_path, text)


def test_bottomless_nesting_is_refused(tmp_path):
    with pytest.raises(FormatError, match="nested more than 100 deep"):
        agt(tmp_path, "a{" * 100_000)


def test_a_missing_file_is_one_message(tmp_path):
    with pytest.raises(FormatError, match="there is no such file"):
        read_agt(tmp_path / "none.agt")


@pytest.mark.parametrize(
    "line", ['Keyword "Frame# 12"', 'Comment "this is frame 12 of 1800"', 'Keyword "FRAME#12"']
)
def test_the_frame_number_is_found_in_keywords_and_comments(tmp_path, line):
    found = agt(tmp_path, "Agt { TgtSect { TgtUpd { " + line + " } } }")
    assert found.target_updates[0].hint == 12


def test_players_compare_as_numbers_where_they_are():
    assert ply_key("054") == ply_key(54) == ply_key(" 54 ")
    assert ply_key("a7") == ply_key("A7") != ply_key("7")


def test_frame_numbers_are_lowered_to_zero_based():
    found = associate(Agt(target_updates=updates(3, 1)), n_frames=3)
    assert (frames_of(found), found.how) == ({2: ["T0"], 0: ["T1"]}, "frame numbers")


def test_without_frame_numbers_those_of_the_sensor_count():
    sensors = (SensorUpdate(hint=5), SensorUpdate(hint=7))
    found = associate(Agt(sensor_updates=sensors, target_updates=updates(None, None)), n_frames=9)
    assert (frames_of(found), found.how) == ({4: ["T0"], 6: ["T1"]}, "sensor frame numbers")


def test_without_any_number_the_order_of_the_list_counts():
    found = associate(Agt(target_updates=updates(None, None)), n_frames=2)
    assert (frames_of(found), found.how) == ({0: ["T0"], 1: ["T1"]}, "list order")


def test_an_update_without_number_follows_the_one_before():
    found = associate(Agt(target_updates=updates(4, None, 9)), n_frames=9)
    assert list(found.targets) == [3, 4, 8]


@pytest.mark.parametrize(
    ("uri", "n_frames", "shift"),
    [
        ("cegr02003.agt", 1800, 1799),
        ("i1co02003.agt", 1875, 1874),
        ("x.agt", 1900, 1899),
        ("x.agt", None, 1799),
    ],
)
def test_numbers_one_clip_too_high_are_lowered(uri, n_frames, shift):
    found = associate(
        Agt(uri=uri, target_updates=updates(shift + 1, shift + 200)), n_frames=n_frames
    )
    assert list(found.targets) == [0, 199]
    assert f"{shift} too high" in found.warnings[0]


def test_high_numbers_of_a_long_clip_stay():
    found = associate(Agt(target_updates=updates(1, 2500)), n_frames=3000)
    assert list(found.targets) == [0, 2499]


def test_updates_at_the_end_that_run_backwards_are_left_out():
    times = [(2006, 1, 0, 0, 1, 0), (2006, 1, 0, 0, 2, 0), (1901, 1, 0, 0, 0, 0)]
    found = associate(Agt(target_updates=updates(None, None, None, times=times)))
    assert list(found.targets) == [0, 1]
    assert found.warnings == ["1 updates at the end run backwards in time and are left out."]


def test_updates_beyond_the_clip_are_counted_and_left_out():
    found = associate(Agt(target_updates=updates(1, 2, 3)), n_frames=2)
    assert list(found.targets) == [0, 1]
    assert found.warnings == ["1 target updates lie outside the 2 frames and are left out."]


def test_unequal_counts_of_updates_are_a_warning():
    found = associate(
        Agt(sensor_updates=(SensorUpdate(),), target_updates=updates(None, None)), n_frames=3
    )
    assert found.warnings == [
        "It has 1 sensor updates, but 2 target updates.", "1 of 3 frames have no target update.",
    ]


def test_two_updates_of_one_frame_are_joined_by_player():
    a = TargetUpdate(targets=(Target(ply_id="1"),), hint=1)
    b = TargetUpdate(targets=(Target(ply_id="01"), Target(ply_id="2")), hint=1)
    found = associate(Agt(target_updates=(a, b)))
    assert [target.ply_id for target in found.targets[0]] == ["1", "2"]


def test_what_is_written_is_read_again(tmp_path):
    target = Target(
        type="ZSU23-4",
        ply_id="7",
        x=-3.0,
        y=197.5,
        pix_box=(1.0, 2.0, 30.0, 40.0),
        aspect=0.1,
        range_m=1500.0,
        keywords={"Speed": (5.5, "m/s")},
        relative={"Azimuth": 0.5},
        absolute={"Stake": "B7"},
        extra={"New": 7},
    )
    original = Agt(
        uri=str(tmp_path / "a.agt"),
        project={"Name": "run"},
        sensor={"Fov": [3.4, 2.6]},
        fov=(3.4, 2.6),
        sensor_updates=(SensorUpdate(hint=1, time=(2006, 32, 1, 2, 3, 4), fov=(3.4, 2.6)),),
        target_updates=(
            TargetUpdate(targets=(target,), hint=1, time=(2006, 32, 1, 2, 3, 4)),
            TargetUpdate(hint=2),
        ),
    )
    write_agt(tmp_path / "a.agt", original)
    assert read_agt(tmp_path / "a.agt") == original


def test_quotes_in_a_written_text_do_not_break_the_file(tmp_path):
    write_agt(tmp_path / "a.agt", Agt(project={"Name": 'a "quoted"\nname'}))
    assert read_agt(tmp_path / "a.agt").project["Name"] == "a 'quoted' name"


def test_a_file_of_more_words_than_any_truth_has_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_agt_tree, "MAX_WORDS", 20)
    (tmp_path / "a.agt").write_text("Agt { TgtSect { " + "{} " * 20 + "} }")
    with pytest.raises(FormatError, match="more than 20 words and numbers; split it"):
        read_agt(tmp_path / "a.agt")


def test_closing_braces_without_opening_ones_are_counted(tmp_path):
    (tmp_path / "a.agt").write_text("Agt { TgtSect { } } } } }")
    assert read_agt(tmp_path / "a.agt").warnings == ("3 closing braces have no opening one.",)




def test_each_target_section_counts_its_frames_by_itself(tmp_path):
    upd = 'TgtUpd { Time 2005 1 0 0 %d 0 Tgt { TgtType "%s" PlyId 1 PixLoc 5 5 } } '
    sections = [f"TgtSect {{ {upd % (0, name)} {upd % (1, name)} }} " for name in ("T72", "BMP2")]
    found = associate(agt(tmp_path, f"Agt {{ {''.join(sections)} }}"), n_frames=2)
    assert [[target.type for target in found.targets[k]] for k in (0, 1)] == [
        ["T72", "BMP2"],
        ["T72", "BMP2"],
    ]


def test_several_target_sections_are_written_and_read_again(tmp_path):
    ups = (
        TargetUpdate(targets=(Target(type="A"),)),
        TargetUpdate(targets=(Target(type="B"),), section=1),
    )
    write_agt(tmp_path / "a.agt", Agt(uri=str(tmp_path / "a.agt"), target_updates=ups))
    assert read_agt(tmp_path / "a.agt").target_updates == ups


@pytest.mark.parametrize("line", [
    'Comment "Frame grabber 2"', 'Comment "frame rate 30"',
    'Comment "reference frame 18S, frame 3 m east of road"',
    'Comment "frame 30.5 degrees"', 'Keyword "Timeframe 7"',
])  # fmt: skip
def test_words_about_other_frames_are_no_frame_numbers(tmp_path, line):
    found = agt(tmp_path, "Agt { TgtSect { TgtUpd { " + line + " } } }")
    assert found.target_updates[0].hint is None


def test_a_number_that_all_updates_share_is_no_frame_number():
    times = [(2005, 1, 0, 0, k, 0) for k in range(3)]
    found = associate(Agt(target_updates=updates(30, 30, 30, times=times)), n_frames=3)
    assert (list(found.targets), found.how) == ([0, 1, 2], "list order")
    assert found.warnings[0] == "Its updates all say frame 30, which is then no frame number."


def test_targets_that_are_on_no_frame_are_counted_by_reason():
    twice = TargetUpdate(targets=(Target(ply_id="1"),), hint=1)
    late = TargetUpdate(targets=(Target(ply_id="1"), Target(ply_id="2")), hint=9)
    found = associate(Agt(target_updates=(twice, twice, late)), n_frames=2)
    assert found.left == {"of a player that its frame has already": 1, "past the last frame": 2}
