"""MI-Kernel: the similarity of bags is the sum of similarities over all pairs of their
instances."""

from emberscope.base.param import param
from emberscope.mil.bag_kernels import PENALTY, WIDTH, InstanceKernel, KernelClassifier
from emberscope.mil.scaling import STANDARDIZE


class MIKernel(KernelClassifier):
    """A support vector machine with the normalized set kernel.

        k(B, B') = s(B, B') / sqrt(s(B, B) s(B', B'))
        s(B, B') = sum over x in B, z in B' of k(x, z)^p

    With the Gaussian kernel of instances, k(x, z) = exp(-|x - z|² / (2 width² m²)) with m² the
    total variance of the training instances (half the mean squared distance of two), the power p is
    no more than a smaller width, so the width stands for both. With the polynomial one
    k(x, z) = 1 + x'z / D and p is `degree`. The higher the power, the more a few close pairs
    outweigh all others. The Gaussian kernel is blind where targets are long vectors, each unlike
    every other, among short ones, such as counts of words: nothing is near a target, so it scores
    as the intercept.

    f(B) = sum_j dual_j k(B, B_j) + intercept minimizes 1/2 |f|² + C sum of hinge losses, both
    classes weighing the same. The score of an instance is f of a bag of it alone.

    Attributes
    ----------
    X_ : (n, D), standardized instances of the support bags, one after the other.
    indptr_ : (S+1,). labels_ : (S,).
    dual_ : (S,), weights of the support bags. norm_ : (S,), sqrt(s(B_j, B_j)). intercept_ : float.
    gamma_ : float, of exp(-gamma |x - z|²). mean_, scale_ : (D,). weights_ : (n,), ones.

    Notes
    -----
    Gaertner, Flach, Kowalczyk and Smola 2002. O(n² D) in matrix products for n instances, in
    blocks, 8 n K bytes (TooLarge above 2 GiB). Of a bag of more than 4000 instances 4000 are
    compared.
    """

    kernel: str = param(
        "gaussian", choices=("gaussian", "polynomial"), group="Bags",
        grid=("gaussian", "polynomial"),
        help="Between instances. Gaussian compares distances, so instances far from all others "
        "count as nothing; polynomial compares inner products, so that they count most.",
    )
    C: float = PENALTY
    width: float = WIDTH
    degree: int = param(
        5, low=1, high=50, group="Bags", title="Power p", when=("kernel", "polynomial"),
        help="Power of the polynomial kernel: the higher, the more the closest pairs count.",
    )
    standardize: bool = STANDARDIZE

    @property
    def _kernel(self) -> InstanceKernel:
        return InstanceKernel(self.gamma_ if self.kernel == "gaussian" else 0.0, self.degree)
