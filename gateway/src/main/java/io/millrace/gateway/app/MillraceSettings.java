package io.millrace.gateway.app;

import io.millrace.auth.IdentitySettings;
import io.millrace.backend.spi.BucketName;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.ByType;
import io.millrace.config.Checked;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import io.millrace.config.Typed;
import io.millrace.gateway.bucket.BucketPrices;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.bucket.CountedBuckets;
import io.millrace.gateway.fetch.FetchSettings;
import io.millrace.gateway.job.JobSettings;
import io.millrace.gateway.saving.PriceSettings;
import io.millrace.gateway.server.S3Settings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The operator's file. */
public record MillraceSettings(
        @Setting("Where S3 is served.") S3Settings s3,

        @Setting("Where health, metrics and the API are served.")
        AdminSettings admin,

        @Setting(
                value = "The folder for what Millrace must remember: job records, generated keys, embedded defaults.",
                byDefault = "./data")
        Path data,

        @Setting("The cache. Without a disk every read is streamed through from its backend.")
        CacheSettings cache,

        @Setting("Where objects live: a name of your choice, and what is there.") @ByType(family = Backends.FAMILY)
        Map<String, Typed> backends,

        @Setting(
                "The buckets clients see. The first entry that fits a name decides; a name that fits none is no bucket.")
        List<BucketSettings> buckets,

        @Setting(
                "What reads cost at backends, by their names there, for what is told of money that was saved. Without it requests and"
                        + " bytes are told.")
        Map<String, PriceSettings> prices,

        @Setting("Jobs: work on many objects, such as prefetches and copies.")
        JobSettings jobs,

        @Setting("What jobs may fetch from the web.") FetchSettings downloads,

        @Setting("Who may do what. A file without identities is refused.")
        List<IdentitySettings> identities)
        implements Checked {

    public MillraceSettings {
        backends = Map.copyOf(backends);
        buckets = List.copyOf(buckets);
        prices = Map.copyOf(prices);
        identities = List.copyOf(identities);
    }

    @Override
    public void check(Problems problems) {
        checkPorts(problems);
        checkBuckets(problems);
        CountedBuckets.check(buckets, problems);
        BucketPrices.check(buckets, problems);
        checkPrices(problems);
        checkIdentities(problems);
    }

    /** What reads of a backend's bucket cost, if that was told. */
    Optional<PriceSettings> pricesOf(String backend, BucketName real) {
        return BucketPrices.of(buckets, backend, real).or(() -> Optional.ofNullable(prices.get(backend)));
    }

    private void checkPrices(Problems problems) {
        prices.keySet().stream()
                .filter(name -> !backends.containsKey(name) && !problems.reported("backends." + name))
                .sorted()
                .forEach(name -> problems.add(
                        "prices." + name,
                        "",
                        "is no backend of this file",
                        "write one of " + backends.keySet().stream().sorted().toList()));
    }

    private void checkPorts(Problems problems) {
        if (s3.port() != 0 && s3.port() == admin.port() && s3.address().equals(admin.address())) {
            problems.add(
                    "admin.port", admin.port(), "is the port of s3 too", "give each its own, such as 9080 and 9081");
        }
    }

    private void checkBuckets(Problems problems) {
        if (buckets.isEmpty() && !problems.reported("buckets")) {
            problems.add(
                    "buckets", "", "there are none, so nothing could be read", "add { name: \"*\", backend: NAME }");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < buckets.size(); i++) {
            String name = buckets.get(i).name().value();
            if (!names.add(name)) {
                problems.add(
                        "buckets[" + i + "].name",
                        name,
                        "is that of an earlier entry, which decides",
                        "write one entry, or give this one another name");
            }
            String backend = buckets.get(i).backend();
            if (!backends.containsKey(backend) && !problems.reported("backends." + backend)) {
                problems.add(
                        "buckets[" + i + "].backend",
                        backend,
                        "is no backend of this file",
                        backends.isEmpty()
                                ? "add it under backends"
                                : "write one of "
                                        + backends.keySet().stream().sorted().toList());
            }
        }
    }

    private void checkIdentities(Problems problems) {
        if (identities.isEmpty() && !problems.reported("identities")) {
            problems.add(
                    "identities",
                    "",
                    "there are none, so nobody could sign a request",
                    "add { name: admin, access-key: ..., secret-key-file: ..., allow: \"*\" }");
        }
        Set<String> names = new HashSet<>();
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < identities.size(); i++) {
            IdentitySettings identity = identities.get(i);
            if (!names.add(identity.name())) {
                problems.add("identities[" + i + "].name", identity.name(), "is used twice", "give each its own name");
            }
            if (!keys.add(identity.accessKey())) {
                problems.add(
                        "identities[" + i + "].access-key",
                        identity.accessKey(),
                        "is used twice",
                        "give each identity its own access key");
            }
        }
    }
}
