"""A residual network with a head for bags, in torch: forward, and steps along gradients."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import thread_count
from emberscope.base.monitor import Monitor, slices
from emberscope.tuning import heads
from emberscope.tuning.network_file import EPSILON, extra
from emberscope.tuning.residual import STEM, Convolution, Weights, blocks, is_learned

_AT_ONCE = 256  # chips described at a time
_DECAY = 1e-4
_MOMENTUM = 0.1  # of the mean and variance of a normalization


class Network:
    """Weights as tensors, on the graphics card where torch has one.

    mean, std : what is subtracted from chips of 0 to 1, and what they are divided by. moves :
    whether normalizations follow the chips they see, or keep the mean and variance they have.
    """

    def __init__(
        self, weights: Weights, head: Weights, *, mean: float, std: float, moves: bool = False
    ) -> None:
        self.torch = extra("torch")
        self.torch.set_num_threads(thread_count())
        self.mean, self.std, self.moves = mean, std, moves
        self._device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self._weights = {name: self._tensor(value, is_learned(name))
                         for name, value in weights.items()}
        self._head = {name: self._tensor(value, learned=True) for name, value in head.items()}
        self._adam: Any = None

    def step(
        self, chips: Sequence[NDArray[np.float32]], labels: NDArray, weight: NDArray, rate: float
    ) -> float:
        """One step of Adam on some bags, labels (B,) in {-1, +1}; their mean loss before it."""
        learned = [one for one in (*self._weights.values(), *self._head.values())
                   if one.requires_grad]
        if self._adam is None:
            self._adam = self.torch.optim.AdamW(learned, lr=rate, weight_decay=_DECAY)
        h = self._inner(np.concatenate(chips), moving=self.moves)
        parts = self.torch.split(h, [len(one) for one in chips])
        f = self.torch.stack([heads.log_odds(self.torch, self._head, one) for one in parts])
        signs = self._tensor(np.asarray(labels, np.float32))
        loss = self.torch.nn.functional.softplus(-signs * f)
        mean = (self._tensor(np.asarray(weight, np.float32)) * loss).mean()
        self._adam.zero_grad()
        mean.backward()
        self._adam.step()
        return float(mean.detach())

    def describe(
        self, chips: NDArray[np.float32], monitor: Monitor | None = None
    ) -> NDArray[np.float32]:
        """What the inner layer says of chips (N, side, side), (N, 8 width)."""
        out = [np.empty((0, 8 * len(self._weights[STEM.weight])), np.float32)]
        with self.torch.no_grad():
            for rows in slices(len(chips), _AT_ONCE, monitor, "Scores"):
                out.append(self._inner(chips[rows], moving=False).cpu().numpy())
        return np.concatenate(out)

    def log_odds(self, inner: NDArray[np.float32], members: Sequence[NDArray]) -> NDArray:
        """Of bags being positive, (K,) float64; NaN of an empty one. inner : of chips (N, 8 width).
        members : rows of each bag."""
        with self.torch.no_grad():
            return np.array([
                float(heads.log_odds(self.torch, self._head, self._tensor(inner[rows])))
                if len(rows) else np.nan for rows in members
            ])  # fmt: skip

    def arrays(self) -> tuple[Weights, Weights]:
        """Copies of the weights as they are, and of those of the head."""
        copied = [{name: np.array(one.detach().cpu().numpy(), np.float32)
                   for name, one in some.items()} for some in (self._weights, self._head)]
        return copied[0], copied[1]

    def _inner(self, chips: NDArray[np.float32], *, moving: bool) -> Any:
        """(N, 8 width) of chips; the normalizations follow them where they are `moving`."""
        functional = self.torch.nn.functional
        channels = self._weights[STEM.weight].shape[1]
        x = self._tensor((chips - np.float32(self.mean)) / np.float32(self.std))[:, None]
        x = functional.relu(self._convolved(STEM, x.expand(-1, channels, -1, -1), moving))
        x = functional.max_pool2d(x, 3, 2, 1)
        for block in blocks():
            inner = functional.relu(self._convolved(block.first, x, moving))
            beside = x if block.beside is None else self._convolved(block.beside, x, moving)
            x = functional.relu(self._convolved(block.second, inner, moving) + beside)
        return x.mean((2, 3))

    def _convolved(self, one: Convolution, x: Any, moving: bool) -> Any:
        functional, w = self.torch.nn.functional, self._weights
        x = functional.conv2d(x, w[one.weight], stride=one.stride, padding=one.side // 2)
        scale, shift, mean, variance = (w[name] for name in one.moments)
        return functional.batch_norm(x, mean, variance, scale, shift, training=moving,
                                     momentum=_MOMENTUM, eps=EPSILON)

    def _tensor(self, values: NDArray, learned: bool = False) -> Any:
        found = self.torch.tensor(values, device=self._device)
        return found.requires_grad_() if learned else found
