package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.BucketPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of one bucket, or of every bucket whose name matches a pattern.
 *
 * @param name the name clients use, or a pattern with {@code *}
 * @param backend the backend's name in the settings; of a derived or scratch bucket a name that no other has
 * @param bucket the name at the backend; equal to {@code name} if absent
 */
public record BucketSettings(
        @SettingDescription(
                "The bucket's name for clients. A pattern with * stands for all matching buckets of the backend.")
        BucketPattern name,

        @SettingDescription(
                value = "The backend of the bucket, by its name under backends. A bucket has a backend, is derived, or"
                        + " is scratch.",
                defaultValue = "\"\"")
        String backend,

        @SettingDescription(
                "What the bucket is derived from: its objects are the files inside tars and zips of another bucket"
                        + " (docs/samples.md), or what a transform makes of each object there"
                        + " (docs/transforms.md). What is about bytes in the cache is set in that bucket, but the"
                        + " quota of what a transform makes.")
        Optional<DerivedSettings> derived,

        @SettingDescription(
                "What makes it a scratch bucket: its objects are in the cache and nowhere else, and may be lost"
                        + " (docs/scratch.md). It must have a quota.")
        Optional<ScratchSettings> scratch,

        @SettingDescription(
                value = "The bucket's name at the backend, if it differs. Not together with a pattern.",
                form = BucketPattern.NAME_FORM)
        Optional<BucketName> bucket,

        @SettingDescription(
                value = "Only keys that begin with this belong to the bucket; clients see them without it.",
                defaultValue = "\"\"")
        String prefix,

        @SettingDescription(
                value = "Rights of unsigned requests: none, or rights joined by commas (read, list).",
                defaultValue = "none")
        AnonymousAccess anonymous,

        @SettingDescription(
                value = "A file with the bucket's policy in JSON, as Amazon has it: what it allows and denies to"
                        + " identities and unsigned requests, besides the policies of identities."
                        + " docs/policies.md says what it may have.",
                example = "policies/imagenet.json")
        Optional<BucketPolicy> policy,

        @SettingDescription(
                value = "What a write does to the cache. fill: store the object, up to 64MiB and if written in one"
                        + " piece; invalidate: only invalidate the old version.",
                defaultValue = "fill")
        WriteMode write,

        @SettingDescription(
                value = "Stored rules of access (bucket policies, ACLs that grant to others, public access blocks) bind"
                        + " the backend's own callers and not Millrace's: they are refused (refuse), or passed"
                        + " on all the same (forward).",
                defaultValue = "refuse")
        AccessPolicyMode accessPolicies,

        @SettingDescription(
                value = "Headers and parameters that Millrace does not know and forwards to an S3 backend, past the"
                        + " cache, for whoever may read or write there. For callers with admin on the whole"
                        + " bucket it forwards all. A field may name other buckets to the backend. Not together"
                        + " with prefix.",
                example = "[ x-amz-new-header, new-parameter ]")
        List<String> forwardUnknown,

        @SettingDescription(
                "CORS rules for scripts of other origins in browsers. Without a rule here, the rules of an S3"
                        + " backend apply.")
        List<CorsSettings> cors,

        @SettingDescription(
                "Which objects are cached. The first rule whose keys match applies; an object that matches none is"
                        + " cached. Entries for the same bucket of a backend share the cache: give them the same"
                        + " rules.")
        List<CacheRule> cacheRules,

        @SettingDescription("How long cached content is served without revalidation.")
        FreshnessSettings freshness,

        @SettingDescription(
                "What the cache promises across the members of a cluster. none: members do not hear of each other's"
                        + " writes; announced: a write is announced to all members that are heard; strong: no member"
                        + " serves what a write has replaced, whatever fails. Without it, announced under the section"
                        + " cluster, or none in mode strict. The same at all members; docs/cluster.md says more.")
        Optional<Coherence> coherence,

        @SettingDescription(
                value = "Whether HEAD with a Range fetches into the cache: bytes=0-0 the whole object, any other range"
                        + " that range. Reads go before.",
                defaultValue = "false")
        boolean prefetchOnHead,

        @Reloadable(false)
        @SettingDescription(
                value = "The quota of the bucket in the cache: a percentage of all disks, or a size from 64MiB. Above"
                        + " it, new blocks replace the least-read blocks of the same bucket. Without it there"
                        + " is no limit. Not together with a pattern.",
                example = "25%")
        Optional<QuotaSize> quota,

        @Reloadable(false)
        @SettingDescription(
                value = "Prefixes whose cached bytes are tracked, as they are for the bucket itself: the status and the"
                        + " meters have them. Not together with a pattern.",
                example = "[ train/, val/ ]")
        List<String> trackedPrefixes,

        @Reloadable(false)
        @SettingDescription("Prices of reads of this bucket, if they differ from those of the backend.")
        Optional<PriceSettings> prices) {
    /** The treatment of requests that would store access rules at the backend. */
    public enum AccessPolicyMode {
        REFUSE,
        FORWARD
    }

    /** The effect of a write on the cache. */
    public enum WriteMode {
        FILL,
        INVALIDATE
    }

    /**
     * @throws IllegalArgumentException if a pattern has settings that apply to a single bucket, or if the policy is not
     *     that of the bucket
     */
    public BucketSettings {
        if (scratch.isPresent()) {
            refuseInScratch("derived", derived.isPresent());
            backend = ofScratch(name, backend);
        } else if (derived.isPresent()) {
            backend = ofDerived(name, backend);
        }
        forwardUnknown = forwardUnknown.stream()
                .map(field -> field.toLowerCase(Locale.ROOT))
                .toList();
        requireUnknown(forwardUnknown, prefix);
        cors = List.copyOf(cors);
        cacheRules = List.copyOf(cacheRules);
        trackedPrefixes = List.copyOf(trackedPrefixes);
        if (derived.isPresent()) {
            String from = derived.get().from().value();
            refuse("bucket", bucket.isPresent(), from);
            refuse("write", write != WriteMode.FILL, from);
            refuse("access-policies", accessPolicies != AccessPolicyMode.REFUSE, from);
            refuse("forward-unknown", !forwardUnknown.isEmpty(), from);
            refuse("cache-rules", !cacheRules.isEmpty(), from);
            refuse("freshness", !freshness.equals(FreshnessSettings.DEFAULTS), from);
            refuse("coherence", coherence.isPresent(), from);
            refuse("prefetch-on-head", prefetchOnHead, from);
            refuse("quota", quota.isPresent() && derived.get().transform().isEmpty(), from);
            refuse("tracked-prefixes", !trackedPrefixes.isEmpty(), from);
            refuse("prices", prices.isPresent(), from);
        }
        if (scratch.isPresent()) {
            if (quota.isEmpty()) {
                throw new RefusedSettingException(
                        "quota",
                        "is missing, or not in force before a restart: without it a scratch bucket would take the cache"
                                + " from all others",
                        "write the most that its objects may take, such as 100GiB or 25%, and restart");
            }
            FreshnessSettings own = scratch.get().freshness();
            refuseInScratch("bucket", bucket.isPresent());
            refuseInScratch("prefix", !prefix.isEmpty());
            refuseInScratch("write", write != WriteMode.FILL);
            refuseInScratch("access-policies", accessPolicies != AccessPolicyMode.REFUSE);
            refuseInScratch("forward-unknown", !forwardUnknown.isEmpty());
            refuseInScratch("cache-rules", !cacheRules.isEmpty());
            refuseInScratch("freshness", !freshness.equals(FreshnessSettings.DEFAULTS) && !freshness.equals(own));
            refuseInScratch("coherence", coherence.isPresent());
            refuseInScratch("prefetch-on-head", prefetchOnHead);
            refuseInScratch("prices", prices.isPresent());
            freshness = own;
        }
        if (name.isPattern() && (quota.isPresent() || !trackedPrefixes.isEmpty())) {
            throw new IllegalArgumentException(
                    ("the pattern '%s' stands for any number of buckets: give 'quota' and 'tracked-prefixes' to a"
                                    + " bucket by its name, in an entry before it")
                            .formatted(name.value()));
        }
        if (!name.isPattern()) {
            BucketName own = new BucketName(name.value());
            policy.flatMap(rules -> rules.statementBeside(own)).ifPresent(statement -> {
                throw new IllegalArgumentException(
                        ("'policy' has a statement that is about nothing in the bucket '%s' (%s): name the bucket in"
                                        + " its Resource")
                                .formatted(own, statement));
            });
        }
        if (name.isPattern() && bucket.isPresent()) {
            throw new IllegalArgumentException(
                    "the pattern '%s' cannot stand for the one bucket '%s': name the bucket, or leave out 'bucket'"
                            .formatted(name.value(), bucket.get()));
        }
    }

    /** Returns the settings of a derived bucket of which nothing else is set. */
    public static BucketSettings ofDerived(BucketName name, DerivedSettings derived) {
        return new BucketSettings(
                BucketPattern.parse(name.value()),
                "",
                Optional.of(derived),
                Optional.empty(),
                Optional.empty(),
                "",
                new AnonymousAccess(Set.of()),
                Optional.empty(),
                WriteMode.FILL,
                AccessPolicyMode.REFUSE,
                List.of(),
                List.of(),
                List.of(),
                FreshnessSettings.DEFAULTS,
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    private static String ofDerived(BucketPattern name, String backend) {
        String place = DerivedSettings.PLACE + name.value();
        if (name.isPattern()) {
            throw new RefusedSettingException(
                    "derived",
                    "cannot be that of the pattern '%s'".formatted(name.value()),
                    "write the name of a bucket");
        }
        if (!backend.isEmpty() && !backend.equals(place)) {
            throw new RefusedSettingException(
                    "backend",
                    "has no place beside 'derived'",
                    "leave it out: the objects are where those are that they are derived from");
        }
        return place;
    }

    private static String ofScratch(BucketPattern name, String backend) {
        String place = ScratchSettings.PLACE + name.value();
        if (name.isPattern()) {
            throw new RefusedSettingException(
                    "scratch",
                    "cannot be that of the pattern '%s'".formatted(name.value()),
                    "write the name of a bucket");
        }
        refuseInScratch("backend", !backend.isEmpty() && !backend.equals(place));
        return place;
    }

    /** Refuses what a scratch bucket cannot have. */
    private static void refuseInScratch(String key, boolean isGiven) {
        if (isGiven) {
            throw new RefusedSettingException(
                    key,
                    "has no place beside 'scratch', as nothing is behind the bucket",
                    "leave it out, or leave out 'scratch' and name a backend");
        }
    }

    /** Refuses what a derived bucket cannot have. */
    private static void refuse(String key, boolean isGiven, String from) {
        if (isGiven) {
            throw new RefusedSettingException(
                    key,
                    "has no place in a derived bucket",
                    "set it in the bucket '%s', or leave it out".formatted(from));
        }
    }

    private static void requireUnknown(List<String> names, String prefix) {
        if (!names.isEmpty() && !prefix.isEmpty()) {
            throw new IllegalArgumentException(
                    "'forward-unknown' cannot be combined with 'prefix', as a field could reach beyond it: use one");
        }
        for (String name : names) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(
                        "'forward-unknown' has an empty name: write the name of a header or parameter");
            }
        }
    }

    /** Returns the promise of the bucket under the section {@code cluster}. In mode strict each read asks anyway. */
    Coherence effectiveCoherence() {
        return coherence.orElse(
                freshness.mode() == FreshnessSettings.Mode.STRICT ? Coherence.NONE : Coherence.ANNOUNCED);
    }

    /** Returns the name for clients of an entry without a pattern. */
    BucketName ownName() {
        return new BucketName(name.value());
    }

    /** Returns the name at the backend of the bucket that clients see as {@code shown}. */
    BucketName backendBucket(BucketName shown) {
        return bucket.orElse(shown);
    }
}
