{{- define "carillon.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- if .Values.image.digest -}}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{- else -}}{{ .Values.image.repository }}:{{ $tag }}{{- end -}}
{{- end -}}

{{/* Of one part: the parts of a release are told apart by component. Takes (dict "root" $ "component" "…"). */}}
{{- define "carillon.selector" -}}
app.kubernetes.io/name: carillon
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "carillon.labels" -}}
{{ include "carillon.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "carillon.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "carillon.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "carillon.placement" -}}
{{- with .Values.imagePullSecrets }}imagePullSecrets: {{ toJson . }}
{{ end }}
{{- with .Values.nodeSelector }}nodeSelector: {{ toJson . }}
{{ end }}
{{- with .Values.tolerations }}tolerations: {{ toJson . }}
{{ end }}
{{- end -}}

{{/* Replicas lie on different machines where there are several. */}}
{{- define "carillon.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "carillon.selector" . | nindent 8 }}
{{- end -}}

{{/* Secrets by variable, each a file of its name in lower case. Takes (dict "root" $ "secrets" (dict "VARIABLE" "key in the Secret")). */}}
{{- define "carillon.secretEnv" -}}
{{- range $variable, $key := .secrets }}
{{- if $key }}
- { name: {{ $variable }}_FILE, value: /run/secrets/carillon/{{ lower $variable }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "carillon.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.secret.name }}
    defaultMode: 0440
    items:
      {{- range $variable, $key := .secrets }}
      {{- if $key }}
      - { key: {{ $key }}, path: {{ lower $variable }} }
      {{- end }}
      {{- end }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- end -}}

{{- define "carillon.mounts" -}}
- { name: secrets, mountPath: /run/secrets/carillon, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "carillon.env" -}}
{{- range $name, $value := . }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "carillon.schedulerSecrets" -}}
{{- $keys := .Values.secret.keys -}}
DATABASE_URL: {{ $keys.schedulerDatabaseUrl }}
CARILLON_MASTER_KEY: {{ $keys.masterKey }}
KAFKA_PASSWORD: {{ $keys.kafkaPassword | quote }}
DATABASE_REPORT_URL: {{ $keys.databaseReportUrl | quote }}
{{- end -}}

{{/* One per Deployment: a drain takes at most one of its replicas at a time. */}}
{{- define "carillon.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels: {{- include "carillon.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "carillon.selector" . | nindent 6 }}
{{- end -}}
