from dataclasses import replace

from tpu_trainers.torchtpu_place import Place, check_group, ranks
from tpu_trainers.train_host import Host


def slice_of(hosts=2, devices=2):
    return [Place(f"10.0.0.{host}", "tpu-0", str(host), device) for host in range(hosts) for device in range(devices)]


def group_of(hosts=2, devices=2):
    return [
        Host(rank=host * devices + device, address="h", slice_name="tpu-0", worker_id=str(host), num_slices=None, slice_id=None)
        for host in range(hosts)
        for device in range(devices)
    ]


class TestRanks:
    def test_by_host_and_device_in_whatever_order_ray_placed_them(self):
        assert ranks(slice_of(), 2) == ([0, 1, 2, 3], [])
        assert ranks(list(reversed(slice_of())), 2) == ([3, 2, 1, 0], [])

    def test_the_webhook_did_not_see_the_pod(self):
        places = slice_of()
        places[3] = replace(places[3], slice_name=None, worker_id=None)
        assert ranks(places, 2) == ([], ["host ? of ? at 10.0.0.1 has no TPU_NAME and no TPU_WORKER_ID: the TPU webhook did not see its pod"])

    def test_two_hosts_with_one_worker_id(self):
        places = [replace(place, worker_id="0") for place in slice_of()]
        found, problems = ranks(places, 2)
        assert found == []
        assert problems == [
            "rank 0 (device 0) is claimed 2 times, by host 0 of tpu-0 at 10.0.0.0 and host 0 of tpu-0 at 10.0.0.1",
            "rank 1 (device 1) is claimed 2 times, by host 0 of tpu-0 at 10.0.0.0 and host 0 of tpu-0 at 10.0.0.1",
            "no process has rank 2, 3: host 1 is not whole",
        ]

    def test_a_worker_id_or_device_outside_the_slice(self):
        places = slice_of()
        places[2] = replace(places[2], worker_id="7")
        places[3] = replace(places[3], local_rank=5)
        assert ranks(places, 2)[1] == [
            "host 7 of tpu-0 at 10.0.0.1: TPU_WORKER_ID must be 0 to 1",
            "host 1 of tpu-0 at 10.0.0.1: device 5 is outside 0 to 1, the devices of a host",
        ]

    def test_devices_on_two_slices(self):
        places = slice_of()
        places[3] = replace(places[3], slice_name="tpu-1")
        assert ranks(places, 2)[1] == ["the devices are on several slices: tpu-0, tpu-1"]


class TestGroup:
    def test_healthy(self):
        assert check_group(group_of(), 2) == []
        assert check_group(group_of(1, 8), 1) == []

    def test_a_host_with_too_few_ranks(self):
        group = group_of()
        group[2] = replace(group[2], worker_id="0")
        assert check_group(group, 2) == [
            "slice tpu-0: host 0 has the ranks 0, 1, 2, must have 2, one for each device",
            "slice tpu-0: host 1 has the ranks 3, must have 2, one for each device",
        ]

    def test_no_webhook_two_slices_and_a_strange_id(self):
        group = group_of()
        assert check_group([replace(group[0], worker_id=None), *group[1:]], 2) == [
            "rank 0 at h has no TPU_WORKER_ID: the TPU webhook did not see its pod"
        ]
        problems = check_group([replace(group[0], slice_name="tpu-1", worker_id="9"), *group[1:]], 2)
        assert "the ranks are on several slices: tpu-0, tpu-1" in problems
        assert "slice tpu-1: TPU_WORKER_ID 9 is outside 0 to 1" in problems
