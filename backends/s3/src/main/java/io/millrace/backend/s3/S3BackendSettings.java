package io.millrace.backend.s3;

import io.millrace.backend.http.ConnectionSettings;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The settings of an S3 backend: endpoint, region, credentials, connections and timeouts. */
public record S3BackendSettings(
        @SettingDescription(
                value = "URL of the server: http or https, a host and optionally a port. By default Amazon's endpoint"
                        + " of the region.",
                example = "https://s3.example.com:9000")
        Optional<URI> endpoint,

        @SettingDescription(
                value = "The region that requests are signed for and, without an endpoint, sent to. Most servers"
                        + " other than Amazon accept any.",
                defaultValue = "us-east-1")
        String region,

        @SettingDescription(
                value = "Whether the bucket stands in the path (http://host/bucket/key) or before the host"
                        + " (http://bucket.host/key). Without it: in the path if there is an endpoint, before the"
                        + " host at Amazon. Set it to false for a server that has a DNS name for each bucket and"
                        + " refuses the other form.",
                example = "true")
        Optional<Boolean> pathStyle,

        @SettingDescription(
                value = "The access key that requests are signed with; secret-key goes with it. Without both, the first"
                        + " source of the AWS SDKs that is set up: environment variables, web identity (EKS), the"
                        + " profile file (keys, role_arn, SSO, credential_process), the container's endpoint, instance"
                        + " metadata.",
                example = "AKIAIOSFODNN7EXAMPLE")
        Optional<String> accessKey,

        @SettingDescription("The secret of access-key.") Optional<Secret> secretKey,

        @SettingDescription("The session token that came with temporary keys.")
        Optional<Secret> sessionToken,

        @SettingDescription(
                value = "Send requests unsigned, for public buckets. Not together with keys.",
                defaultValue = "false")
        boolean anonymous,

        @FlatSettings ConnectionSettings connections,

        @SettingDescription(
                value = "On which writes the server honours `If-Match` and `If-None-Match`, in one step with the write:"
                        + " any of put, complete (uploads in parts), copy and delete; [] for none. Without it, what"
                        + " Millrace knows of Amazon S3, MinIO, versitygw and some others, and nothing of the rest."
                        + " A conditional write that is not honoured is refused, because such a server would overwrite"
                        + " and answer with a success.",
                example = "[put, complete]")
        Optional<List<ConditionalOperation>> conditionalWrites,

        @SettingDescription(
                value = "Agree to pay for requests and transfers, for buckets whose requesters pay: each request has"
                        + " x-amz-request-payer. The credentials' account is charged.",
                defaultValue = "false")
        boolean requesterPays)
        implements SelfValidatingSettings {
    @Override
    public void check(ProblemReporter problems) {
        S3SettingsValidator.validate(this, problems);
    }
}
