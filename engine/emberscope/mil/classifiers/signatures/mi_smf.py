"""MI-SMF: the target signature for the spectral matched filter,
to which strong targets answer strongly."""

from emberscope.mil.classifiers.signatures.mi_ace import MIACE


class MISMF(MIACE):
    """As `MIACE`, but instances keep their length: z(x) = w(x),
    so the answer s'w(x) grows with the contrast.

        max_s  1/K+ sum over positive bags of max_x s'w(x)
             - 1/K- sum over negative bags of mean_x s'w(x),  |s| = 1

    Attributes
    ----------
    Those of `MIACE`.

    Notes
    -----
    Zare, Jiao and Glenn 2018. One very bright instance moves the signature, which the cosine of
    MI-ACE does not let happen; where brightness tells targets apart MI-SMF sees it. Cost as of
    MI-ACE.
    """

    _unit = False
