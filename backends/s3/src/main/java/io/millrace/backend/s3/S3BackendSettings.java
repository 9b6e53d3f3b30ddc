package io.millrace.backend.s3;

import io.millrace.config.Checked;
import io.millrace.config.Problems;
import io.millrace.config.Secret;
import io.millrace.config.Setting;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The operator's part of an S3 backend: where it is, who we are there, and how long we wait for it. */
public record S3BackendSettings(
        @Setting(
                value = "Where the server is: http or https, a host, perhaps a port. Without it, Amazon's own"
                        + " endpoint of the region.",
                example = "https://s3.example.com:9000")
        Optional<URI> endpoint,

        @Setting(
                value = "The region that requests are signed for and, without an endpoint, sent to. Most other"
                        + " servers take any.",
                byDefault = "us-east-1")
        String region,

        @Setting(
                value = "Whether the bucket stands in the path (http://host/bucket/key) or before the host"
                        + " (http://bucket.host/key). Without it: in the path if there is an endpoint, before the"
                        + " host at Amazon. Set it to false for a server that has a DNS name for each bucket and"
                        + " refuses the other form.",
                example = "true")
        Optional<Boolean> pathStyle,

        @Setting(
                value = "The access key that requests are signed with; secret-key goes with it. Without both,"
                        + " the first source of the AWS SDKs that is set up: environment variables, web identity (EKS),"
                        + " the profile file (keys, role_arn, SSO, credential_process), the container's endpoint, instance"
                        + " metadata.",
                example = "AKIAIOSFODNN7EXAMPLE")
        Optional<String> accessKey,

        @Setting("The secret of access-key.") Optional<Secret> secretKey,

        @Setting("The session token that came with temporary keys.")
        Optional<Secret> sessionToken,

        @Setting(
                value = "Send requests unsigned, for buckets that anybody may read. Then there are no keys.",
                byDefault = "false")
        boolean anonymous,

        @Setting(
                value = "Connections to one host at most. A reader that is served straight from the backend holds"
                        + " one as long as it reads; whoever finds all of them taken waits, and gets an error in"
                        + " the end.",
                byDefault = "4096")
        int maxConnections,

        @Setting(value = "How long a connection may take to be made, TLS included once more.", byDefault = "5s")
        Duration connectTimeout,

        @Setting(
                value = "How long the server may take until the head of its answer is here. A request that took"
                        + " longer is given up and not repeated; one for blocks of a known object is, until"
                        + " 10 s have passed without a byte.",
                byDefault = "30s")
        Duration firstByteTimeout,

        @Setting(
                value = "How long the server may be silent in the middle of an answer while a reader wants more."
                        + " A reader that is slow itself is not cut.",
                byDefault = "60s")
        Duration idleTimeout,

        @Setting(
                value = "On which writes the server honours `If-Match` and `If-None-Match`, in one step with the write:"
                        + " any of put, complete (uploads in parts), copy and delete; [] for none. Without it, what"
                        + " Millrace knows of Amazon S3, MinIO, versitygw and some others, and nothing of the rest."
                        + " A conditional write that is not honoured is refused, because such a server would overwrite"
                        + " and answer with a success.",
                example = "[put, complete]")
        Optional<List<ConditionalWrite>> conditionalWrites)
        implements Checked {
    @Override
    public void check(Problems problems) {
        SettingsCheck.check(this, problems);
    }
}
