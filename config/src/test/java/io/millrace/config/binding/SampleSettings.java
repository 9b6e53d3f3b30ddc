package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.ValueForm;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sample settings records like the real ones: servers, a cache with disks, backends by type, buckets, identities. */
public record SampleSettings(
        @SettingDescription("The S3 endpoint. Clients connect here.")
        Server s3,

        @SettingDescription("The control plane.") Server admin,

        @SettingDescription(value = "Folder for what Millrace keeps itself.", defaultValue = "./data")
        Path data,

        @SettingDescription("The cache.") Cache cache,

        @SettingDescription("Where objects live. Buckets name them.") @SelectedByType(family = "backend")
        Map<String, SettingsVariant> backends,

        @SettingDescription("The buckets clients see. The first match wins.")
        List<Bucket> buckets,

        @SettingDescription("Who may do what.") List<Identity> identities)
        implements SelfValidatingSettings {

    static final SettingsVariantRegistry VARIANTS = SettingsVariantRegistry.builder()
            .add("backend", "s3", S3Backend.class)
            .add("backend", "file", FileBackend.class)
            .build();

    static final String YAML = """
            s3:    { address: 127.0.0.1, port: 9080, domain: s3.local }   # bucket.s3.local
            admin: { address: 127.0.0.1, port: 9081 }
            data: ./data
            cache:
              block-size: 1MiB
              disks:
                - { path: ./data/cache, size: 20GiB }
            backends:
              aws:   { type: s3, endpoint: http://127.0.0.1:9000, path-style: true, access-key: A, secret-key: "${AWS_SECRET}" }
              local: { type: file, path: ./data/objects }
            buckets:
              - { name: imagenet, backend: aws, bucket: real-name, prefix: train/, freshness: { mode: immutable } }
              - { name: public, backend: local, anonymous: read, write: invalidate }
              - { name: "*", backend: aws, freshness: { mode: ttl, ttl: 60s, stale-if-error: 1h } }
            identities:
              - { name: trainer, access-key: K, secret-key: T, allow: [ "read,list:*" ] }
              - { name: admin, access-key: A, secret-key: S, allow: "*" }
            """;

    @Override
    public void check(ProblemReporter problems) {
        if (identities.isEmpty() && !problems.hasProblem("identities")) {
            problems.add("identities", "", "nobody could use the server", "add an identity");
        }
        for (int i = 0; i < buckets.size(); i++) {
            String backend = buckets.get(i).backend();
            if (!backends.containsKey(backend) && !problems.hasProblem("backends." + backend)) {
                problems.add("buckets[" + i + "].backend", backend, "is no backend", "add it under backends");
            }
        }
    }

    record Server(
            @SettingDescription(value = "Address to listen on.", defaultValue = "127.0.0.1")
            String address,

            @SettingDescription(value = "Port to listen on; 0 takes a free one.", defaultValue = "0")
            int port,

            @SettingDescription(value = "Domain of virtual-host style.", example = "s3.local")
            Optional<String> domain) {
        Server {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
            }
        }
    }

    record Cache(
            @SettingDescription(value = "Size of a block. Smaller ones cost memory.", defaultValue = "1MiB")
            DataSize blockSize,

            @SettingDescription("Disks to keep blocks on.") List<Disk> disks,

            @SettingDescription(value = "How often a block is checked.", defaultValue = "first-read")
            Integrity integrity) {}

    enum Integrity {
        FIRST_READ,
        ALWAYS
    }

    record Disk(
            @SettingDescription("Folder of the disk.") Path path,

            @SettingDescription(value = "How much of it may be used.", example = "20GiB")
            DataSize size) {}

    public record S3Backend(
            @SettingDescription("The server.") URI endpoint,

            @SettingDescription(value = "Region to sign for.", defaultValue = "us-east-1")
            String region,

            @SettingDescription(value = "Whether the bucket stands in the path.", defaultValue = "false")
            boolean pathStyle,

            @SettingDescription("Access key.") Optional<String> accessKey,
            @SettingDescription("Secret key.") Optional<Secret> secretKey)
            implements SelfValidatingSettings {
        @Override
        public void check(ProblemReporter problems) {
            if (accessKey.isPresent() && secretKey.isEmpty() && !problems.hasProblem("secret-key")) {
                problems.add("access-key", accessKey.get(), "has no secret-key", "add secret-key");
            }
        }
    }

    public record FileBackend(
            @SettingDescription("Folder whose sub-folders are buckets.")
            Path path) {}

    record Bucket(
            @SettingDescription("Name clients use.") BucketPattern name,
            @SettingDescription("Backend it is on.") String backend,
            @SettingDescription("Its name there.") Optional<BucketPattern> bucket,

            @SettingDescription(value = "Prefix of all its keys there.", defaultValue = "\"\"")
            String prefix,

            @SettingDescription(value = "What needs no identity.", defaultValue = "none")
            Anonymous anonymous,

            @SettingDescription(value = "Whether a write fills the cache.", defaultValue = "fill")
            Write write,

            @SettingDescription("How long an answer counts. After that the backend is asked.")
            Freshness freshness) {}

    @ValueForm("3 to 63 letters, or a pattern with '*'")
    record BucketPattern(String value) {
        BucketPattern {
            if (!value.equals("*") && !value.matches("[a-z0-9.-]{3,63}")) {
                throw new IllegalArgumentException("not a bucket name: " + value);
            }
        }
    }

    enum Anonymous {
        NONE,
        READ
    }

    enum Write {
        FILL,
        INVALIDATE
    }

    enum Mode {
        IMMUTABLE,
        TTL,
        STRICT
    }

    record Freshness(
            @SettingDescription(value = "The rule.", defaultValue = "ttl")
            Mode mode,

            @SettingDescription(value = "Age up to which nobody asks.", defaultValue = "60s")
            Duration ttl,

            @SettingDescription(value = "Age up to which an unreachable backend is forgiven.", defaultValue = "0s")
            Duration staleIfError) {}

    record Identity(
            @SettingDescription("Name in logs.") String name,
            @SettingDescription("Access key.") String accessKey,
            @SettingDescription("Secret key.") Secret secretKey,

            @SettingDescription(value = "Rights, then bucket and key.", example = "[ \"read,list:*\" ]")
            List<AllowRule> allow) {}

    record AllowRule(List<String> rights, String target) {
        public static AllowRule parse(String text) {
            if (text.equals("*")) {
                return new AllowRule(List.of("read", "list", "write", "delete", "admin"), "*");
            }
            String[] parts = text.split(":", 2);
            if (parts.length < 2) {
                throw new IllegalArgumentException("has no ':' between rights and bucket");
            }
            return new AllowRule(List.of(parts[0].split(",")), parts[1]);
        }
    }
}
