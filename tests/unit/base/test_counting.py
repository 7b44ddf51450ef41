from capwright.base.counting import counted


def test_one_is_one():
    assert [counted(n, "verdict") for n in (0, 1, 2, 1024)] == [
        "0 verdicts", "1 verdict", "2 verdicts", "1,024 verdicts",
    ]  # fmt: skip
    assert counted(2, "quantity", "quantities") == "2 quantities"
