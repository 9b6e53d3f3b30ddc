package io.millrace.gateway.app;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.GlobPattern;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The check of buckets and rights for what is valid and hardly meant: it warns, and refuses nothing. */
record LikelyMistakeCheck(Map<String, SettingsVariant> backends, List<BucketSettings> buckets) {
    /** Warns of an entry of the buckets. */
    void checkBucket(int index, ProblemReporter problems) {
        BucketSettings bucket = buckets.get(index);
        String name = bucket.name().value();
        if (hasCapitals(name)) {
            problems.warn(
                    "buckets[" + index + "].name",
                    name,
                    "has capitals, which most clients refuse in the name of a bucket",
                    "write it in small letters; the name at the backend goes into 'bucket'");
        }
        bucket.bucket()
                .map(BucketName::value)
                .filter(real -> hasCapitals(real) && isOnS3(bucket))
                .ifPresent(real -> problems.warn(
                        "buckets[" + index + "].bucket",
                        real,
                        "has capitals, which S3 servers refuse in the name of a bucket, but for old buckets at Amazon",
                        "write the name as the backend lists it"));
        checkNameAtBackend(index, problems);
        String prefix = bucket.prefix();
        if (prefix.startsWith("/")) {
            problems.warn(
                    "buckets[" + index + "].prefix",
                    prefix,
                    "begins with a slash: only keys that begin with one belong to the bucket",
                    "leave the slash at the beginning out, unless the keys have it");
        } else if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            problems.warn(
                    "buckets[" + index + "].prefix",
                    prefix,
                    "does not end with a slash: keys such as '%s2/x' belong to the bucket too".formatted(prefix),
                    "write '%s/', unless that is meant".formatted(prefix));
        }
    }

    /** Warns of a name that no bucket of the backend can have, as far as the type of the backend tells. */
    private void checkNameAtBackend(int index, ProblemReporter problems) {
        BucketSettings bucket = buckets.get(index);
        SettingsVariant backend = backends.get(bucket.backend());
        String real =
                bucket.bucket().map(BucketName::value).orElse(bucket.name().value());
        if (backend == null || !BucketName.isValid(real)) { // a pattern is no name
            return;
        }
        BackendTypeRegistry.ruleAgainst(backend, new BucketName(real))
                .ifPresent(rule -> problems.warn(
                        "buckets[%d].%s".formatted(index, bucket.bucket().isPresent() ? "bucket" : "name"),
                        real,
                        "is the name of no bucket at this backend, so clients are answered 404. " + rule,
                        "write the name of a bucket there as 'bucket'"));
    }

    private static boolean hasCapitals(String name) {
        return !name.equals(name.toLowerCase(Locale.ROOT));
    }

    private boolean isOnS3(BucketSettings bucket) {
        SettingsVariant backend = backends.get(bucket.backend());
        return backend != null && backend.type().equals("s3");
    }

    /** Warns of rules for buckets that the file does not have: most likely the name is misspelt. */
    void checkAllowed(String key, List<AllowRule> rules, ProblemReporter problems) {
        for (int i = 0; i < rules.size() && !problems.hasProblem("buckets"); i++) {
            GlobPattern bucket = rules.get(i).bucket();
            if (buckets.stream().noneMatch(entry -> entry.name().meets(bucket))) {
                String element = key + "[" + i + "]";
                problems.warn(
                        problems.isWritten(element) ? element : key,
                        rules.get(i),
                        "is for a bucket that no entry of buckets names, and no pattern: it allows nothing",
                        "write the name of a bucket as clients use it, or add the bucket");
            }
        }
    }
}
