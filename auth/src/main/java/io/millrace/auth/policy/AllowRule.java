package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.ValueForm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rule that grants rights on buckets and keys: {@code read,list:imagenet/train/*}, or {@code *} for everything. Rights
 * stand before the colon, a bucket pattern after it, and a key pattern after the first slash; without a slash the rule
 * applies to all keys. In patterns {@code *} stands for any characters, and in key patterns {@code ?} for one
 * character. It is short for a statement of a policy. Immutable.
 */
@ValueForm(
        "rights, a colon and a bucket or a pattern of buckets, then perhaps a slash and a pattern of keys; or '*' for"
                + " everything")
public final class AllowRule {
    private static final int LONGEST = 2048;
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9._*-]+");
    private static final String EVERYTHING = "*";

    private final String text;
    private final Set<Right> rights;
    private final GlobPattern bucket;
    private final GlobPattern key;

    private AllowRule(String text, Set<Right> rights, GlobPattern bucket, GlobPattern key) {
        this.text = text;
        this.rights = rights;
        this.bucket = bucket;
        this.key = key;
    }

    /**
     * Parses a rule as the operator writes it; white space around its words is allowed.
     *
     * @throws IllegalArgumentException if the rule is malformed; the message says what is wrong and what to write
     */
    public static AllowRule parse(String text) {
        String rule = text.strip();
        if (rule.length() > LONGEST) {
            throw wrong("is longer than 2,048 characters");
        }
        if (rule.equals(EVERYTHING)) {
            return new AllowRule(rule, EnumSet.allOf(Right.class), GlobPattern.of("*"), GlobPattern.of("*"));
        }
        int colon = rule.indexOf(':');
        if (colon < 0) {
            throw wrong("names no bucket: write rights, a colon and a bucket, as in \"read,list:imagenet\"");
        }
        String where = rule.substring(colon + 1).strip();
        int slash = where.indexOf('/');
        String bucket = slash < 0 ? where : where.substring(0, slash);
        String key = slash < 0 ? "*" : where.substring(slash + 1);
        return new AllowRule(rule, rights(rule.substring(0, colon)), bucketGlob(bucket), keyGlob(bucket, key));
    }

    /** Returns the pattern of the buckets that it is about. */
    public GlobPattern bucket() {
        return bucket;
    }

    /** Returns the statement of a policy that the rule stands for. */
    PolicyStatement statement() {
        Set<PolicyAction> actions = EnumSet.noneOf(PolicyAction.class);
        rights.forEach(right -> actions.addAll(right.actions()));
        return PolicyStatement.allow("allow: " + text, actions, new RuleResources(bucket, key));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AllowRule that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the rule as it was written. */
    @Override
    public String toString() {
        return text;
    }

    private static Set<Right> rights(String list) {
        EnumSet<Right> rights = EnumSet.noneOf(Right.class);
        for (String word : list.split(",", -1)) {
            rights.add(right(word.strip()));
        }
        return Collections.unmodifiableSet(rights);
    }

    private static Right right(String word) {
        List<String> rightNames = new ArrayList<>();
        for (Right right : Right.values()) {
            if (right.text().equals(word.toLowerCase(Locale.ROOT))) {
                return right;
            }
            rightNames.add(right.text());
        }
        throw wrong("has no right \"" + word + "\": the rights are " + String.join(", ", rightNames)
                + ", and * stands only alone, for everything");
    }

    private static GlobPattern bucketGlob(String bucket) {
        if (!BUCKET.matcher(bucket).matches()) {
            throw wrong("has no bucket \"" + bucket
                    + "\": a bucket is letters, digits and . _ -, or * for any of them, and keys follow after a slash");
        }
        return GlobPattern.of(bucket);
    }

    private static GlobPattern keyGlob(String bucket, String key) {
        if (key.isEmpty()) {
            throw wrong("allows no key: write \"" + bucket + "\" or \"" + bucket + "/*\" for all keys");
        }
        return GlobPattern.of(key);
    }

    private static IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("this rule " + what);
    }

    /**
     * The resources of a rule. A bucket itself takes a rule for all its keys, or for all those that a listing asks for,
     * whatever keys exist: a rule for {@code b/train/*} allows the prefixes {@code train/} and {@code train/x}, not
     * {@code train} (which would also show {@code training/}) and not the empty one.
     */
    private record RuleResources(GlobPattern bucket, GlobPattern key) implements StatementResources {
        @Override
        public boolean matches(BucketName in, Optional<ObjectKey> requested, RequestParameters parameters) {
            return bucket.matches(in.value())
                    && (requested.isPresent()
                            ? key.matches(requested.get().value())
                            : key.covers(parameters.find("prefix").orElse("")));
        }

        @Override
        public boolean touchesBucket(BucketName in) {
            return bucket.matches(in.value());
        }

        @Override
        public boolean covers(BucketName in, String prefix) {
            return bucket.matches(in.value()) && key.covers(prefix);
        }

        @Override
        public boolean touches(BucketName in, String prefix) {
            return bucket.matches(in.value()) && key.touches(prefix);
        }

        @Override
        public boolean coversEverything() {
            return bucket.covers("") && key.covers("");
        }
    }
}
