// Package deploy tests the manifests and the Dockerfile: that they are well formed,
// that nothing in them is looser than it has to be, and that the program takes the
// settings in them. It is a module of its own, so that what knows Kubernetes and
// Docker is no dependency of the product.
package deploy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	gover "go/version"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"golang.org/x/mod/modfile"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// read decodes a manifest, and fails where it has a field that its type does not.
func read[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var object T
	if err := yaml.UnmarshalStrict(data, &object); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return object
}

func TestManifests(t *testing.T) {
	namespace := read[core.Namespace](t, "namespace.yaml")
	secret := read[core.Secret](t, "tokens.yaml")
	deployment := read[apps.Deployment](t, "deployment.yaml")
	service := read[core.Service](t, "service.yaml")
	budget := read[policy.PodDisruptionBudget](t, "disruption.yaml")
	network := read[networking.NetworkPolicy](t, "network.yaml")

	// No manifest is left out above.
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) != 6 {
		t.Errorf("%d manifests: %v, %v", len(files), files, err)
	}
	for kind, object := range map[string]struct {
		meta.TypeMeta
		meta.ObjectMeta
		version string
	}{
		"Secret":              {secret.TypeMeta, secret.ObjectMeta, core.SchemeGroupVersion.String()},
		"Deployment":          {deployment.TypeMeta, deployment.ObjectMeta, apps.SchemeGroupVersion.String()},
		"Service":             {service.TypeMeta, service.ObjectMeta, core.SchemeGroupVersion.String()},
		"PodDisruptionBudget": {budget.TypeMeta, budget.ObjectMeta, policy.SchemeGroupVersion.String()},
		"NetworkPolicy":       {network.TypeMeta, network.ObjectMeta, networking.SchemeGroupVersion.String()},
	} {
		if object.Kind != kind || object.APIVersion != object.version || object.Namespace != namespace.Name {
			t.Errorf("%s: %s %s in %q", kind, object.Kind, object.APIVersion, object.Namespace)
		}
	}
	if namespace.Kind != "Namespace" || namespace.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("the namespace is %+v", namespace)
	}

	spec := deployment.Spec.Template.Spec
	pod := labels.Set(deployment.Spec.Template.Labels)
	for name, selector := range map[string]*meta.LabelSelector{
		"the Deployment": deployment.Spec.Selector, "the PodDisruptionBudget": budget.Spec.Selector, "the NetworkPolicy": &network.Spec.PodSelector,
		"the Service": {MatchLabels: service.Spec.Selector}, "the spread": spec.TopologySpreadConstraints[0].LabelSelector,
	} {
		if s, err := meta.LabelSelectorAsSelector(selector); err != nil || s.Empty() || !s.Matches(pod) {
			t.Errorf("%s does not select the pods: %v, %v", name, s, err)
		}
	}
	if *deployment.Spec.Replicas < 3 || *deployment.Spec.Strategy.RollingUpdate.MaxUnavailable != intstr.FromInt32(0) {
		t.Error("an update leaves fewer replicas than there should be")
	}
	if budget.Spec.MaxUnavailable.IntValue() != 1 || service.Spec.SessionAffinity != core.ServiceAffinityNone {
		t.Error("the disruption budget or the session affinity is another")
	}

	if len(spec.Containers) != 1 || len(spec.InitContainers) != 0 {
		t.Fatalf("%d containers", len(spec.Containers))
	}
	c := spec.Containers[0]
	yes := func(b *bool) bool { return b != nil && *b }
	no := func(b *bool) bool { return b != nil && !*b }
	for what, held := range map[string]bool{
		"no root":                   yes(spec.SecurityContext.RunAsNonRoot) && *spec.SecurityContext.RunAsUser > 0 && *spec.SecurityContext.RunAsGroup > 0,
		"seccomp":                   spec.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
		"no escalation":             no(c.SecurityContext.AllowPrivilegeEscalation),
		"read-only root":            yes(c.SecurityContext.ReadOnlyRootFilesystem),
		"no capabilities":           slices.Equal(c.SecurityContext.Capabilities.Drop, []core.Capability{"ALL"}) && len(c.SecurityContext.Capabilities.Add) == 0,
		"not privileged":            c.SecurityContext.Privileged == nil,
		"no token of the cluster's": no(spec.AutomountServiceAccountToken),
		"no variables of services":  no(spec.EnableServiceLinks),
		"nothing of the host's":     !spec.HostNetwork && !spec.HostPID && !spec.HostIPC,
		"limits":                    !c.Resources.Limits.Memory().IsZero() && !c.Resources.Requests.Cpu().IsZero() && !c.Resources.Requests.Memory().IsZero(),
		"a pinned image":            !strings.HasSuffix(c.Image, ":latest") && strings.Contains(c.Image, ":"),
		"time to stop":              *spec.TerminationGracePeriodSeconds > c.Lifecycle.PreStop.Sleep.Seconds+10,
		"tokens, read-only":         c.VolumeMounts[0].ReadOnly && spec.Volumes[0].Secret.SecretName == secret.Name && *spec.Volumes[0].Secret.DefaultMode == 0o440,
	} {
		if !held {
			t.Errorf("missing: %s", what)
		}
	}
	ports := map[string]int32{}
	for _, port := range c.Ports {
		ports[port.Name] = port.ContainerPort
	}
	if service.Spec.Ports[0].TargetPort.StrVal != "http" || ports["http"] == 0 {
		t.Error("the Service leads nowhere")
	}
	if network.Spec.Egress == nil || len(network.Spec.Egress) != 0 || len(network.Spec.PolicyTypes) != 2 {
		t.Error("the pods may talk to others")
	}
	for _, rule := range network.Spec.Ingress {
		for _, port := range rule.Ports {
			if ports[port.Port.StrVal] == 0 {
				t.Errorf("the NetworkPolicy opens the port %s", port.Port)
			}
		}
		if len(rule.From) == 0 || len(rule.Ports) == 0 {
			t.Error("the NetworkPolicy lets anybody in")
		}
	}
	run(t, c, secret)
}

// run starts the program with the settings of the container, save where it listens,
// and asks it what the probes ask.
func run(t *testing.T, c core.Container, secret core.Secret) {
	program := filepath.Join(t.TempDir(), "promptd")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, c.Args...)
	for _, e := range c.Env {
		switch e.Name {
		case "PROMPTD_HTTP":
			e.Value = "127.0.0.1:0"
		case "PROMPTD_METRICS_ADDRESS":
			e.Value = "localhost:0"
		case "PROMPTD_TOKENS":
			mount := c.VolumeMounts[0].MountPath
			key, ok := strings.CutPrefix(e.Value, mount+"/")
			if _, found := secret.StringData[key]; !ok || !found {
				t.Fatalf("%s is not in the Secret", e.Value)
			}
			e.Value = filepath.Join(t.TempDir(), key)
			if err := os.WriteFile(e.Value, []byte(secret.StringData[key]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(stderr, &said))
	base := ""
	for lines.Scan() && !strings.Contains(lines.Text(), "msg=serving ") {
		if _, after, ok := strings.Cut(lines.Text(), `"url": "`); ok {
			base, _, _ = strings.Cut(after, "/mcp")
		}
	}
	if base == "" {
		t.Fatalf("the program does not serve: %s", said.String())
	}
	for path, want := range map[string]int{c.LivenessProbe.HTTPGet.Path: 200, c.ReadinessProbe.HTTPGet.Path: 200, "/mcp": 401, "/metrics": 404} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	for _, port := range c.Ports {
		if !slices.ContainsFunc(c.Env, func(e core.EnvVar) bool { return e.Value == fmt.Sprintf(":%d", port.ContainerPort) }) {
			t.Errorf("nothing listens at the port %s", port.Name)
		}
	}
}

func TestDockerfile(t *testing.T) {
	f, err := os.Open("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parsed, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range parsed.Warnings {
		t.Errorf("%+v", w)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil || len(stages) != 2 {
		t.Fatalf("%d stages: %v", len(stages), err)
	}
	var all []string
	for i, stage := range stages {
		for _, command := range stage.Commands {
			switch command := command.(type) {
			case *instructions.CopyCommand:
				for _, source := range command.SourcePaths {
					if _, err := os.Stat(filepath.Join("../../..", source)); i == 0 && err != nil {
						t.Errorf("%s is not in the repository", source)
					}
				}
			case *instructions.RunCommand:
				all = append(all, strings.Join(command.CmdLine, " "))
				if i == 1 {
					t.Error("the image has no shell to run anything")
				}
			case *instructions.UserCommand:
				all = append(all, "USER "+command.User)
			case *instructions.EntrypointCommand:
				if command.PrependShell || !slices.Equal(command.CmdLine, []string{"/promptd"}) {
					t.Errorf("the entry point is %v", command)
				}
			}
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-buildid=", "USER 65532:65532"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if stages[1].BaseName != "scratch" {
		t.Errorf("the image is made from %s", stages[1].BaseName)
	}
	// The compiler is one exact release that the module can be built with.
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	if f, err := modfile.ParseLax("go.mod", mod, nil); err == nil && f.Go != nil {
		asked = f.Go.Version
	}
	_, version, _ := strings.Cut(stages[0].BaseName, "golang:")
	if strings.Count(version, ".") != 2 || gover.Compare("go"+version, "go"+asked) < 0 {
		t.Errorf("%s is not an exact release that can build a module of Go %s", stages[0].BaseName, asked)
	}
}
