"""The JAX devices a worker must see before its first step. Imports JAX only when called: in a worker, after jax.distributed is up."""


def check(platform: str, devices_per_worker: int, workers: int) -> list[str]:
    """What is wrong with this worker's devices; nothing when it can train.

    A TPU that is held by another process makes JAX fall back to the CPU without an error; a missing host shows as missing devices.
    """
    import jax

    problems = []
    found = jax.devices()[0].platform
    if found != platform:
        problems.append(f"JAX runs on {found}, must be {platform}: the devices are held by another process, or the image lacks their driver")
    local = jax.local_device_count()
    if local != devices_per_worker:
        problems.append(f"{local} local devices, must be {devices_per_worker}")
    everywhere = jax.device_count()
    if everywhere != devices_per_worker * workers:
        problems.append(f"{everywhere} devices in all, must be {devices_per_worker} x {workers} workers = {devices_per_worker * workers}")
    return problems


def environment(platform: str, devices_per_worker: int) -> dict[str, str]:
    """The workers' environment that makes JAX use a platform; ``cpu`` poses as so many devices and talks to other workers through gloo."""
    if platform == "cpu":
        return {
            "JAX_PLATFORMS": "cpu",
            "JAX_NUM_CPU_DEVICES": str(devices_per_worker),
            "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo",
        }
    return {"JAX_PLATFORMS": platform}
