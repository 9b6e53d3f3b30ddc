{{/* What values.schema.json cannot say, or not clearly. */}}
{{- define "millrace.checks" -}}
{{- $values := .Values }}
{{- if $values.existingConfigMap }}
{{- if gt (int $values.replicaCount) 1 }}
{{- fail "replicaCount: replicas are members of a cluster, whose list the chart cannot write into existingConfigMap; write what is in it as settings, or use one replica" }}
{{- end }}
{{- else }}
{{- if not $values.settings.identities }}
{{- fail "settings.identities: Millrace refuses a file without identities; add one, or name a ConfigMap of yours in existingConfigMap" }}
{{- end }}
{{- range list "s3.address" "s3.port" "s3.plain-port" "s3.tls" "admin.address" "admin.port" "admin.tls" "cache.disks" }}
{{- $path := splitList "." . }}
{{- if hasKey (get $values.settings (first $path) | default dict) (last $path) }}
{{- fail (printf "settings.%s: the chart sets it; use service, tls or disks instead" .) }}
{{- end }}
{{- end }}
{{- if hasKey $values.settings "data" }}
{{- fail "settings.data: the chart sets it; use data instead" }}
{{- end }}
{{- include "millrace.secretsAreVariables" (dict "at" "settings" "value" $values.settings) }}
{{- $cluster := $values.settings.cluster | default dict }}
{{- range list "node" "listen" "members" "secret-file" }}
{{- if hasKey $cluster . }}
{{- fail (printf "settings.cluster.%s: the chart sets the pods as members, by replicaCount, and their secret is a variable; leave it out" .) }}
{{- end }}
{{- end }}
{{- if and (include "millrace.isCluster" .) (not $cluster.secret) }}
{{- fail "settings.cluster.secret: members know each other by a secret; write \"${CLUSTER_SECRET}\" here, and CLUSTER_SECRET, 32 characters or more, into a Secret (secrets.existing or secrets.values)" }}
{{- end }}
{{- if gt (int $values.replicaCount) 1 }}
{{- if not (include "millrace.isCluster" .) }}
{{- fail "replicaCount: replicas that are no cluster would miss what is written through another; set settings.cluster.secret to \"${CLUSTER_SECRET}\", with CLUSTER_SECRET in a Secret (secrets.existing or secrets.values), or use one replica" }}
{{- end }}
{{- end }}
{{- end }}
{{- $names := dict }}
{{- range $i, $disk := $values.disks }}
{{- if hasKey $names $disk.name }}
{{- fail (printf "disks[%d].name: %s is taken; give each disk a name of its own" $i $disk.name) }}
{{- end }}
{{- $_ := set $names $disk.name true }}
{{- end }}
{{- if gt (int $values.replicaCount) 1 }}
{{- range $i, $disk := append ($values.disks | default list) $values.data }}
{{- if hasKey ($disk.volume | default dict) "persistentVolumeClaim" }}
{{- $at := ternary "data" (printf "disks[%d]" $i) (eq $i (len $values.disks)) }}
{{- fail (printf "%s.volume: all replicas would write to this one claim; use claim instead" $at) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.monitoring.serviceMonitor.enabled $values.networkPolicy.enabled (not $values.networkPolicy.adminFrom) }}
{{- fail "monitoring.serviceMonitor: the network policy keeps Prometheus from the control port; name its pods in networkPolicy.adminFrom, or set networkPolicy.enabled to false" }}
{{- end }}
{{- if and (ne $values.service.admin.type "ClusterIP") $values.networkPolicy.enabled (not $values.networkPolicy.adminFrom) }}
{{- fail "service.admin.type: the network policy keeps everybody from the control port; name who may use it in networkPolicy.adminFrom, or leave service.admin.type out" }}
{{- end }}
{{- if and $values.service.s3.externalTrafficPolicy (eq $values.service.s3.type "ClusterIP") }}
{{- fail "service.s3.externalTrafficPolicy: Kubernetes refuses it for a ClusterIP; set service.s3.type to LoadBalancer or NodePort, or leave it out" }}
{{- end }}
{{- if and $values.tls.s3.clientAuthorities (not $values.tls.s3.secretName) }}
{{- fail "tls.s3.clientAuthorities: client certificates need TLS; set tls.s3.secretName" }}
{{- end }}
{{- if and $values.tls.s3.plainPort (not $values.tls.s3.secretName) }}
{{- fail "tls.s3.plainPort: the port speaks plain HTTP already; set tls.s3.secretName, or leave it out" }}
{{- end }}
{{- end }}

{{/* Secrets belong into a Secret; the ConfigMap has their variables. */}}
{{- define "millrace.secretsAreVariables" -}}
{{- $at := .at }}
{{- if kindIs "map" .value }}
{{- range $key, $value := .value }}
{{- $here := printf "%s.%s" $at $key }}
{{- if and (has $key (list "secret-key" "session-token" "account-key" "sas" "connection-string" "password" "bearer-token" "token" "client-secret" "secret" "key")) (not (kindIs "map" $value)) }}
{{- if not (regexMatch "(^|[^$])[$][{]" (toString $value)) }}
{{- fail (printf "%s: a secret does not belong into a ConfigMap; write \"${NAME}\" here, and NAME into a Secret (secrets.existing or secrets.values)" $here) }}
{{- end }}
{{- else }}
{{- include "millrace.secretsAreVariables" (dict "at" $here "value" $value) }}
{{- end }}
{{- end }}
{{- else if kindIs "slice" .value }}
{{- range $i, $value := .value }}
{{- include "millrace.secretsAreVariables" (dict "at" (printf "%s[%d]" $at $i) "value" $value) }}
{{- end }}
{{- end }}
{{- end }}
