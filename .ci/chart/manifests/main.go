// Checks the manifests that helm renders: decodes them strictly into the types of the Kubernetes API, and requires what these types cannot
// say, such as that every mount has a volume. Writes the settings file and the environment of the container into a folder.
//
//	manifests FOLDER < MANIFESTS
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type release struct {
	set        *apps.StatefulSet
	services   map[string]*core.Service
	configMaps map[string]*core.ConfigMap
	secrets    map[string]*core.Secret
	others     []runtime.Object
	kinds      []string
}

func main() {
	release, err := decode(os.Stdin)
	if err == nil {
		err = release.check()
	}
	if err == nil && len(os.Args) > 1 {
		err = release.extract(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(release.kinds, " "))
}

// decode refuses unknown and repeated fields.
func decode(in io.Reader) (*release, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme, monitoring.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	found := &release{
		services:   map[string]*core.Service{},
		configMaps: map[string]*core.ConfigMap{},
		secrets:    map[string]*core.Secret{},
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if isEmpty(string(document)) {
			continue
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		found.kinds = append(found.kinds, kind.Kind)
		switch object := object.(type) {
		case *apps.StatefulSet:
			found.set = object
		case *core.Service:
			found.services[object.Name] = object
		case *core.ConfigMap:
			found.configMaps[object.Name] = object
		case *core.Secret:
			found.secrets[object.Name] = object
		default:
			found.others = append(found.others, object)
		}
	}
}

func isEmpty(document string) bool {
	for _, line := range strings.Split(document, "\n") {
		if line = strings.TrimSpace(line); line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func (r *release) check() error {
	if r.set == nil {
		return errors.New("there is no StatefulSet")
	}
	return errors.Join(r.checkVolumes(), r.checkSelectors(), r.checkSecurity(), r.checkSecrets())
}

func (r *release) container() core.Container {
	return r.set.Spec.Template.Spec.Containers[0]
}

// checkVolumes requires a volume or claim for each mount, a mount for each, and no path or variable twice.
func (r *release) checkVolumes() error {
	var problems []error
	mounted := map[string]bool{}
	for _, volume := range r.set.Spec.Template.Spec.Volumes {
		mounted[volume.Name] = false
	}
	for _, claim := range r.set.Spec.VolumeClaimTemplates {
		if _, twice := mounted[claim.Name]; twice {
			problems = append(problems, fmt.Errorf("%s is a volume and a claim", claim.Name))
		}
		mounted[claim.Name] = false
	}
	seen := map[string]bool{}
	for _, mount := range r.container().VolumeMounts {
		if _, known := mounted[mount.Name]; !known {
			problems = append(problems, fmt.Errorf("%s is mounted, but is no volume", mount.Name))
		}
		if seen[mount.MountPath] {
			problems = append(problems, fmt.Errorf("%s is mounted twice", mount.MountPath))
		}
		mounted[mount.Name] = true
		seen[mount.MountPath] = true
	}
	for name, is := range mounted {
		if !is {
			problems = append(problems, fmt.Errorf("volume %s is not mounted", name))
		}
	}
	for _, variable := range r.container().Env {
		if seen[variable.Name] {
			problems = append(problems, fmt.Errorf("%s is set twice", variable.Name))
		}
		seen[variable.Name] = true
	}
	return errors.Join(problems...)
}

// checkSelectors requires that whatever selects pods selects these, and that Services lead to ports that they have.
func (r *release) checkSelectors() error {
	var problems []error
	pod := labels.Set(r.set.Spec.Template.Labels)
	require := func(name string, selector map[string]string) {
		if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(pod) {
			problems = append(problems, fmt.Errorf("%s does not select the pods", name))
		}
	}
	require("the StatefulSet", r.set.Spec.Selector.MatchLabels)
	ports := map[string]bool{}
	for _, port := range r.container().Ports {
		ports[port.Name] = true
	}
	for name, service := range r.services {
		require("Service "+name, service.Spec.Selector)
		for _, port := range service.Spec.Ports {
			if !ports[port.TargetPort.String()] {
				problems = append(problems, fmt.Errorf("Service %s leads to %s, which is no port", name, port.TargetPort.String()))
			}
		}
	}
	if r.services[r.set.Spec.ServiceName] == nil {
		problems = append(problems, fmt.Errorf("Service %s of the StatefulSet is missing", r.set.Spec.ServiceName))
	}
	for _, object := range r.others {
		switch object := object.(type) {
		case *policy.PodDisruptionBudget:
			require("the PodDisruptionBudget", object.Spec.Selector.MatchLabels)
			if object.Spec.MaxUnavailable == nil || *object.Spec.MaxUnavailable != intstr.FromInt32(1) {
				problems = append(problems, errors.New("the PodDisruptionBudget blocks a drain"))
			}
		case *networking.NetworkPolicy:
			require("the NetworkPolicy", object.Spec.PodSelector.MatchLabels)
			for _, rule := range object.Spec.Ingress {
				for _, port := range rule.Ports {
					if !ports[port.Port.String()] {
						problems = append(problems, fmt.Errorf("the NetworkPolicy names %s, which is no port", port.Port.String()))
					}
				}
			}
		case *networking.Ingress:
			problems = append(problems, r.checkIngress(object))
		case *monitoring.ServiceMonitor:
			problems = append(problems, r.checkMonitor(object))
		}
	}
	return errors.Join(problems...)
}

func (r *release) checkIngress(ingress *networking.Ingress) error {
	for _, rule := range ingress.Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			service := r.services[path.Backend.Service.Name]
			if service == nil || service.Spec.Ports[0].Port != path.Backend.Service.Port.Number {
				return errors.New("the Ingress leads to no port of a Service")
			}
		}
	}
	return nil
}

func (r *release) checkMonitor(monitor *monitoring.ServiceMonitor) error {
	selected := 0
	for _, service := range r.services {
		if labels.SelectorFromSet(monitor.Spec.Selector.MatchLabels).Matches(labels.Set(service.Labels)) {
			selected++
			if service.Spec.Ports[0].Name != monitor.Spec.Endpoints[0].Port {
				return errors.New("the ServiceMonitor names no port of its Service")
			}
		}
	}
	if selected != 1 {
		return fmt.Errorf("the ServiceMonitor selects %d Services", selected)
	}
	return nil
}

// checkSecurity requires what the restricted Pod Security Standard does, and a read-only root.
func (r *release) checkSecurity() error {
	pod := r.set.Spec.Template.Spec
	var problems []error
	require := func(holds bool, what string) {
		if !holds {
			problems = append(problems, errors.New("the pod is not restricted: "+what))
		}
	}
	isTrue := func(value *bool) bool { return value != nil && *value }
	isFalse := func(value *bool) bool { return value != nil && !*value }
	container := r.container()
	own := container.SecurityContext
	require(isTrue(pod.SecurityContext.RunAsNonRoot), "runAsNonRoot")
	require(pod.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault, "seccompProfile")
	require(isFalse(own.AllowPrivilegeEscalation), "allowPrivilegeEscalation")
	require(isTrue(own.ReadOnlyRootFilesystem), "readOnlyRootFilesystem")
	require(len(own.Capabilities.Drop) == 1 && own.Capabilities.Drop[0] == "ALL" && len(own.Capabilities.Add) == 0, "capabilities")
	require(isFalse(pod.AutomountServiceAccountToken), "automountServiceAccountToken")
	_, isLimited := container.Resources.Limits[core.ResourceMemory]
	require(isLimited, "a limit of memory")
	return errors.Join(problems...)
}

// checkSecrets requires that nothing but a Secret has the values of one.
func (r *release) checkSecrets() error {
	var problems []error
	for name, secret := range r.secrets {
		for key, value := range secret.StringData {
			for _, configMap := range r.configMaps {
				for _, text := range configMap.Data {
					if strings.Contains(text, value) {
						problems = append(problems, fmt.Errorf("ConfigMap %s has %s of Secret %s", configMap.Name, key, name))
					}
				}
			}
			for _, variable := range r.container().Env {
				if strings.Contains(variable.Value, value) {
					problems = append(problems, fmt.Errorf("variable %s has %s of Secret %s", variable.Name, key, name))
				}
			}
		}
	}
	return errors.Join(problems...)
}

// value is that of the first pod, where a variable has the pod's name.
func (r *release) value(variable core.EnvVar) string {
	if from := variable.ValueFrom; from != nil && from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.name" {
		return r.set.Name + "-0"
	}
	return variable.Value
}

// extract writes settings.yaml, unless the ConfigMap is not of this release, environment (NAME=VALUE), and checksums.
func (r *release) extract(folder string) error {
	var environment strings.Builder
	for _, variable := range r.container().Env {
		fmt.Fprintf(&environment, "%s=%s\n", variable.Name, r.value(variable))
	}
	for _, source := range r.container().EnvFrom {
		if secret := r.secrets[source.SecretRef.Name]; secret != nil {
			for key, value := range secret.StringData {
				fmt.Fprintf(&environment, "%s=%s\n", key, value)
			}
		}
	}
	files := map[string]string{
		"environment": environment.String(),
		"checksums":   fmt.Sprintln(r.set.Spec.Template.Annotations["checksum/settings"], r.set.Spec.Template.Annotations["checksum/secrets"]),
	}
	if configMap := r.configMaps[r.set.Name]; configMap != nil {
		files["settings.yaml"] = configMap.Data["millrace.yaml"]
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
