"""How idle threads of BLAS and OpenMP wait: environment variables that must be set before NumPy is loaded."""

# Threads that wait spin by default. Beside another busy program t-SNE took 29 s instead of 3.4 s (OpenMP), and forty
# small eigenproblems 52 s instead of 10 s (OpenBLAS, which spins for 2**26 ticks unless set to 2**4).
SLEEP_WHILE_WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_THREAD_TIMEOUT": "4"}
