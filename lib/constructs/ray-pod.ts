import { LABELS, MESH_INJECTION_LABEL, SAFE_TO_EVICT_ANNOTATION } from '../kubernetes/well-known';
import type {
  Container,
  EnvVar,
  PodSpec,
  PodTemplate,
  Volume,
  VolumeMount,
} from '../kuberay/ray-cluster-types';
import type { WholeNumber } from './whole-numbers';

/** A value of an environment variable: literal text, or a key of a Secret. */
export type EnvironmentValue = string | { readonly secretName: string; readonly key: string };

/** User and group of a pod's processes. */
export interface PodUser {
  readonly uid: number;
  readonly gid: number;
}

/** Ids of a user as numbers to check: pods are rendered with `runAsNonRoot`. */
export function userNumbers(user: PodUser | undefined): WholeNumber[] {
  const because = 'the pod is not run as root';
  return [
    { path: ['user', 'uid'], value: user?.uid, least: 1, because },
    { path: ['user', 'gid'], value: user?.gid, least: 1, because },
  ];
}

/** What a Ray pod begins with. */
export interface RayPodProps {
  /** Name of the Ray container. */
  readonly containerName: string;
  readonly image: string;
  /**
   * When nodes pull the image.
   *
   * @default 'IfNotPresent'
   */
  readonly imagePullPolicy?: 'IfNotPresent' | 'Always' | 'Never';
  readonly resources: NonNullable<Container['resources']>;
  /**
   * Ports of the Ray container.
   *
   * @default - none
   */
  readonly ports?: Container['ports'];
  readonly serviceAccountName: string;
  /**
   * Mount the service account's token.
   *
   * @default false
   */
  readonly mountServiceAccountToken?: boolean;
  /**
   * Numeric user and group of all containers.
   *
   * @default - the image's user
   */
  readonly user?: PodUser;
  /**
   * Restart policy of the pod.
   *
   * @default - KubeRay's
   */
  readonly restartPolicy?: 'Never' | 'Always';
}

/**
 * The pod template of a head or a worker group while it is being put together. The Ray container is always the first;
 * everything added later is kept, whatever the order.
 */
export class RayPod {
  /** User and group of all containers; undefined leaves it to the image. */
  public readonly user?: PodUser;
  private readonly props: RayPodProps;
  private readonly environment = new Map<string, EnvironmentValue>();
  private readonly volumes = new Map<string, () => Volume>();
  private readonly mounts: VolumeMount[] = [];
  private readonly sidecars: Container[] = [];
  private readonly annotations: Record<string, string> = { [SAFE_TO_EVICT_ANNOTATION]: 'false' };
  // The TPU webhook selects pods by this label, so that it must not be a team's own.
  private readonly labels: Record<string, string> = {
    [LABELS.name]: 'kuberay',
    [MESH_INJECTION_LABEL]: 'false',
  };
  private readonly nodeSelector: Record<string, string> = {};
  private readonly tolerations: NonNullable<PodSpec['tolerations']>[number][] = [];
  private readonly claims: NonNullable<PodSpec['resourceClaims']>[number][] = [];
  private network: Pick<PodSpec, 'hostNetwork' | 'dnsPolicy'> = {};
  private readonly ports: NonNullable<Container['ports']>[number][];

  public constructor(props: RayPodProps) {
    this.props = props;
    this.ports = [...(props.ports ?? [])];
    if (props.user !== undefined) this.user = props.user;
  }

  /** True after `useHostNetwork`. */
  public get usesHostNetwork(): boolean {
    return this.network.hostNetwork === true;
  }

  /** Sets a variable of the Ray container. A name set twice is an error, for one of the two would be lost. */
  public addEnvironment(name: string, value: EnvironmentValue): void {
    if (this.environment.has(name)) {
      throw new Error(
        `environment variable '${name}' is set already on ${this.props.containerName}: set it once`,
      );
    }
    this.environment.set(name, value);
  }

  /** Adds a volume and, where a mount is given, mounts it in the Ray container. */
  public addVolume(volume: Volume, mount?: Omit<VolumeMount, 'name'>): void {
    this.addLazyVolume(volume.name, () => volume, mount);
  }

  /** Adds a volume whose contents depend on what is done to the pod later. */
  public addLazyVolume(name: string, produce: () => Volume, mount?: Omit<VolumeMount, 'name'>): void {
    if (this.volumes.has(name)) {
      throw new Error(`volume '${name}' exists already on ${this.props.containerName}: choose another name`);
    }
    if (mount !== undefined && this.mounts.some((existing) => existing.mountPath === mount.mountPath)) {
      throw new Error(
        `path '${mount.mountPath}' is mounted already on ${this.props.containerName}: mount '${name}' elsewhere`,
      );
    }
    this.volumes.set(name, produce);
    if (mount !== undefined) this.mounts.push({ name, ...mount });
  }

  /** True when a volume of that name was added. */
  public hasVolume(name: string): boolean {
    return this.volumes.has(name);
  }

  /** Declares a port of the Ray container, in place of one of the same name. */
  public setPort(port: NonNullable<Container['ports']>[number]): void {
    const index = this.ports.findIndex(({ name }) => name !== undefined && name === port.name);
    if (index < 0) this.ports.push(port);
    else this.ports[index] = port;
  }

  /** Adds a container behind the Ray container. */
  public addSidecar(container: Container): void {
    this.sidecars.push(container);
  }

  /** Sets an annotation of the pod. */
  public addAnnotation(key: string, value: string): void {
    this.annotations[key] = value;
  }

  /** Sets a label of the pod; what KubeRay and the TPU webhook select by is refused. */
  public addLabel(key: string, value: string): void {
    if (key === LABELS.name || key.startsWith('ray.io/')) {
      throw new Error(`label '${key}' belongs to KubeRay and the TPU webhook: use another key`);
    }
    this.labels[key] = value;
  }

  /** Sets a node label that the pod asks for. */
  public addNodeSelector(key: string, value: string): void {
    this.nodeSelector[key] = value;
  }

  /** Adds a toleration. */
  public addToleration(toleration: NonNullable<PodSpec['tolerations']>[number]): void {
    this.tolerations.push(toleration);
  }

  /** Adds a claim of the pod and gives it to the Ray container. */
  public addResourceClaim(name: string, resourceClaimTemplateName: string): void {
    this.claims.push({ name, resourceClaimTemplateName });
  }

  /** Puts the pod on the node's network, with the cluster's DNS. */
  public useHostNetwork(): void {
    this.network = { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' };
  }

  /** The template as plain JSON. */
  public render(): PodTemplate {
    const { props } = this;
    const user = this.user;
    return {
      metadata: { labels: { ...this.labels }, annotations: { ...this.annotations } },
      spec: {
        serviceAccountName: props.serviceAccountName,
        automountServiceAccountToken: props.mountServiceAccountToken ?? false,
        ...(props.restartPolicy === undefined ? {} : { restartPolicy: props.restartPolicy }),
        ...this.network,
        ...(user === undefined
          ? {}
          : {
              securityContext: {
                runAsNonRoot: true,
                runAsUser: user.uid,
                runAsGroup: user.gid,
                seccompProfile: { type: 'RuntimeDefault' },
              },
            }),
        containers: [this.renderRayContainer(), ...this.sidecars],
        ...(this.volumes.size === 0
          ? {}
          : { volumes: [...this.volumes.values()].map((produce) => produce()) }),
        ...(Object.keys(this.nodeSelector).length === 0 ? {} : { nodeSelector: { ...this.nodeSelector } }),
        ...(this.tolerations.length === 0 ? {} : { tolerations: [...this.tolerations] }),
        ...(this.claims.length === 0 ? {} : { resourceClaims: [...this.claims] }),
      },
    };
  }

  private renderRayContainer(): Container {
    const { props } = this;
    const env = [...this.environment].map(([name, value]) => renderVariable(name, value));
    return {
      name: props.containerName,
      image: props.image,
      imagePullPolicy: props.imagePullPolicy ?? 'IfNotPresent',
      ...(env.length === 0 ? {} : { env }),
      ...(this.ports.length === 0 ? {} : { ports: [...this.ports] }),
      resources: {
        ...props.resources,
        ...(this.claims.length === 0 ? {} : { claims: this.claims.map(({ name }) => ({ name })) }),
      },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      ...(this.mounts.length === 0 ? {} : { volumeMounts: [...this.mounts] }),
    };
  }
}

/** One entry of a container's `env`. */
export function renderVariable(name: string, value: EnvironmentValue): EnvVar {
  return typeof value === 'string'
    ? { name, value }
    : { name, valueFrom: { secretKeyRef: { name: value.secretName, key: value.key } } };
}
