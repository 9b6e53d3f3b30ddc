{{- define "millrace.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The longest name that is made of it ends in -dashboards; a StatefulSet's pods get a hash of ten letters more in a label. */}}
{{- define "millrace.fullname" -}}
{{- $name := include "millrace.name" . }}
{{- $default := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $default .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "millrace.selector" -}}
app.kubernetes.io/name: {{ include "millrace.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The peers of a network policy that are members of the cluster. */}}
{{- define "millrace.members" -}}
- podSelector: { matchLabels: { {{ include "millrace.selector" . | replace "\n" ", " }} } }
{{- end }}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "millrace.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "millrace.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "millrace.image" -}}
{{- $repository := required "image.repository: there is no published image yet; build one and give its name" .Values.image.repository }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The seconds, rounded up, of a duration as the settings file has it. */}}
{{- define "millrace.seconds" -}}
{{- $number := regexFind "^[0-9]+" . | default "0" | int64 }}
{{- $unit := regexFind "[a-z]+$" . }}
{{- if eq $unit "ms" }}
{{- div (add $number 999) 1000 }}
{{- else }}
{{- mul $number (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit | default 1) }}
{{- end }}
{{- end }}

{{/* Whether the pods are members of a cluster: "true", or empty. */}}
{{- define "millrace.isCluster" -}}
{{- if and (not .Values.existingConfigMap) (kindIs "map" .Values.settings.cluster) }}true{{ end }}
{{- end }}

{{/* The settings file: that of the values, with the list of the cluster's members, which a reload follows and variables would not let it. */}}
{{- define "millrace.settings" -}}
{{- $settings := .Values.settings }}
{{- if include "millrace.isCluster" . }}
{{- $fullname := include "millrace.fullname" . }}
{{- $members := list }}
{{- range $i := until (int .Values.replicaCount) }}
{{- $members = append $members (printf "%s-%d.%s-headless.%s.svc:7800" $fullname $i $fullname $.Release.Namespace) }}
{{- end }}
{{- $own := dict "name" $fullname "listen" "0.0.0.0:7800" "members" $members }}
{{- $settings = merge (dict "cluster" (merge (dict) (.Values.settings.cluster | default dict) $own)) .Values.settings }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{/* The steps of a stop (docs/running.md, Stopping): the two of the settings, the second again for a Hub port; with a section
     cluster 1.125 of its leases and 7 s; then 10 s, 30 s and 5 s. */}}
{{- define "millrace.stopSeconds" -}}
{{- $settings := dict }}
{{- if not .Values.existingConfigMap }}{{ $settings = .Values.settings }}{{ end }}
{{- $s3 := $settings.s3 | default dict }}
{{- $delay := include "millrace.seconds" (get $s3 "shutdown-delay" | default "0s" | toString) | int64 }}
{{- $timeout := include "millrace.seconds" (get $s3 "shutdown-timeout" | default "30s" | toString) | int64 }}
{{- $cluster := 0 }}
{{- if include "millrace.isCluster" . }}
{{- $lease := include "millrace.seconds" (get ($settings.cluster | default dict) "lease" | default "3s" | toString) | int64 }}
{{- $cluster = add $lease (div (add $lease 7) 8) 7 }}
{{- end }}
{{- add $delay $timeout (ternary $timeout 0 (hasKey $settings "hub")) $cluster 10 30 5 }}
{{- end }}

{{- define "millrace.gracePeriod" -}}
{{- $stop := include "millrace.stopSeconds" . | int64 }}
{{- $given := .Values.terminationGracePeriodSeconds }}
{{- if kindIs "invalid" $given }}
{{- add $stop 10 }}
{{- else if le (int64 $given) $stop }}
{{- fail (printf "terminationGracePeriodSeconds: a stop may take %d seconds with these settings; give more, or leave it out" $stop) }}
{{- else }}
{{- int64 $given }}
{{- end }}
{{- end }}

{{/* The claim of a disk or of data that has no volume. Takes name, values and root. */}}
{{- define "millrace.claim" -}}
{{- if not .values.volume }}
- metadata:
    name: {{ .name }}
    labels:
      {{- include "millrace.selector" .root | nindent 6 }}
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .values.claim.storageClassName }}
    storageClassName: {{ . | quote }}
    {{- end }}
    resources:
      requests:
        storage: {{ .values.claim.size | quote }}
{{- end }}
{{- end }}

{{/* The settings that the chart owns; variables override the file. */}}
{{- define "millrace.env" -}}
- { name: MILLRACE_S3_ADDRESS, value: 0.0.0.0 }
- { name: MILLRACE_S3_PORT, value: "9080" }
- { name: MILLRACE_ADMIN_ADDRESS, value: 0.0.0.0 }
- { name: MILLRACE_ADMIN_PORT, value: "9081" }
- { name: MILLRACE_DATA, value: /var/lib/millrace/data }
{{- if include "millrace.isCluster" . }}
- name: MILLRACE_CLUSTER_NODE
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- end }}
{{- if .Values.tls.s3.secretName }}
- { name: MILLRACE_S3_TLS_CERTIFICATE, value: /etc/millrace/tls/s3/tls.crt }
- { name: MILLRACE_S3_TLS_PRIVATE_KEY, value: /etc/millrace/tls/s3/tls.key }
{{- if .Values.tls.s3.clientAuthorities }}
- { name: MILLRACE_S3_TLS_CLIENT_AUTHORITIES, value: /etc/millrace/tls/s3/ca.crt }
{{- end }}
{{- if .Values.tls.s3.plainPort }}
- { name: MILLRACE_S3_PLAIN_PORT, value: "9090" }
{{- end }}
{{- end }}
{{- if .Values.tls.admin.secretName }}
- { name: MILLRACE_ADMIN_TLS_CERTIFICATE, value: /etc/millrace/tls/admin/tls.crt }
- { name: MILLRACE_ADMIN_TLS_PRIVATE_KEY, value: /etc/millrace/tls/admin/tls.key }
{{- end }}
{{- range $i, $disk := .Values.disks }}
- { name: MILLRACE_CACHE_DISKS_{{ $i }}_PATH, value: /var/cache/millrace/{{ $disk.name }}/cache }
- { name: MILLRACE_CACHE_DISKS_{{ $i }}_SIZE, value: {{ $disk.size | quote }} }
{{- if $disk.writeBudget }}
- { name: MILLRACE_CACHE_DISKS_{{ $i }}_WRITE_BUDGET, value: {{ $disk.writeBudget | quote }} }
{{- end }}
{{- if hasKey $disk "required" }}
- { name: MILLRACE_CACHE_DISKS_{{ $i }}_REQUIRED, value: {{ $disk.required | quote }} }
{{- end }}
{{- end }}
{{- with .Values.javaOptions }}
- { name: MILLRACE_JAVA_OPTIONS, value: {{ . | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
