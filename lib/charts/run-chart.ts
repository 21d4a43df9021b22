import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { GcsFuseVolume } from '../constructs/gcs-fuse-volume';
import { MultisliceNetwork } from '../constructs/multislice-network';
import { RayMonitoring } from '../constructs/ray-monitoring';
import { TpuRayCluster } from '../constructs/tpu-ray-cluster';
import type { TrainerSources } from '../constructs/trainer-sources';
import { TrainerSubmitter } from '../constructs/trainer-submitter';
import { bucketOf, handleSuffixOf } from '../run';
import type { GcsFuseVolumeSpec, TrainingRun, VolumeSpec } from '../run';

/** One run: its RayCluster, volumes, network and submitter. */
export class RunChart extends Chart {
  public readonly cluster: TpuRayCluster;
  public readonly submitter: TrainerSubmitter;

  public constructor(scope: Construct, id: string, run: TrainingRun, sources: TrainerSources) {
    super(scope, id, { disableResourceNameHashes: true });
    // Claims and claim templates come first in the file, so that pods find them.
    const network = MultisliceNetwork.propsOf(run);
    const multislice = network === undefined ? undefined : new MultisliceNetwork(this, 'network', network);
    const volumes = run.volumes.map((volume, index) => this.createVolume(run, volume, index));
    this.cluster = new TpuRayCluster(this, 'cluster', TpuRayCluster.propsOf(run));
    multislice?.attach(this.cluster);
    for (const attach of volumes) attach(this.cluster);
    this.submitter = new TrainerSubmitter(
      this,
      'submitter',
      TrainerSubmitter.propsOf(run, this.cluster, sources),
    );
    const monitoring = RayMonitoring.propsOf(run);
    if (monitoring !== undefined) new RayMonitoring(this, 'monitoring', monitoring);
  }

  private createVolume(run: TrainingRun, spec: VolumeSpec, index: number): (cluster: TpuRayCluster) => void {
    const name = `${run.name}-${spec.kind}-${String(index)}`;
    if (spec.kind === 'gcs-fuse') {
      const volume = this.createGcsFuseVolume(
        run,
        spec,
        name,
        handleSuffixOf(run.volumes, index, run.platform),
      );
      return ({ head, workers }) => {
        volume.attach(head);
        volume.attach(workers);
      };
    }
    const readOnly = spec.kind === 'claim' && spec.readOnly === true ? { readOnly: true } : {};
    const source =
      spec.kind === 'claim'
        ? { persistentVolumeClaim: { claimName: spec.claimName, ...readOnly } }
        : { emptyDir: { ...(spec.medium === 'memory' ? { medium: 'Memory' } : {}), sizeLimit: spec.size } };
    return ({ head, workers }) => {
      for (const pod of [head, workers])
        pod.addVolume({ name, ...source }, { mountPath: spec.mountPath, ...readOnly });
    };
  }

  private createGcsFuseVolume(
    run: TrainingRun,
    spec: GcsFuseVolumeSpec,
    name: string,
    handleSuffix: string | undefined,
  ): GcsFuseVolume {
    const { sidecar } = spec;
    return new GcsFuseVolume(this, `volume-${name}`, {
      name,
      namespace: run.platform.namespace,
      bucket: bucketOf(spec, run.platform) ?? '',
      mountPath: spec.mountPath,
      clusterMode: run.platform.cluster.mode,
      ...(spec.onlyDir === undefined ? {} : { onlyDir: spec.onlyDir }),
      readOnly: spec.readOnly ?? false,
      form: spec.form ?? 'ephemeral',
      handleSuffix,
      ...(run.user === undefined ? {} : { user: run.user }),
      hostNetwork: run.network.mode === 'host-network',
      ...(spec.profile === undefined ? {} : { profile: spec.profile }),
      ...(spec.mountOptions === undefined ? {} : { mountOptions: spec.mountOptions }),
      ...(spec.fileCache === undefined
        ? {}
        : { fileCache: { size: spec.fileCache.size, medium: spec.fileCache.medium ?? 'memory' } }),
      sidecarLimits: {
        ...(sidecar?.cpuLimit === undefined ? {} : { cpu: sidecar.cpuLimit }),
        ...(sidecar?.memoryLimit === undefined ? {} : { memory: sidecar.memoryLimit }),
        ...(sidecar?.ephemeralStorageLimit === undefined
          ? {}
          : { ephemeralStorage: sidecar.ephemeralStorageLimit }),
      },
    });
  }
}
