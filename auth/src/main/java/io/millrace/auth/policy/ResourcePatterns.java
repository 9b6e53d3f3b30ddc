package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.InvalidValueException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The {@code Resource} or {@code NotResource} of a statement: patterns of ARNs. */
final class ResourcePatterns implements StatementResources {
    private static final String ARN = "arn:aws:s3:::";

    private final List<PolicyText> texts;
    private final ResourcePattern[] patterns;
    private final boolean negated;

    private ResourcePatterns(List<PolicyText> texts, List<ResourcePattern> patterns, boolean negated) {
        this.texts = texts;
        this.patterns = patterns.toArray(new ResourcePattern[0]);
        this.negated = negated;
    }

    /**
     * Creates the resources of a statement.
     *
     * @param negated whether they are all resources but these
     */
    static ResourcePatterns of(List<String> arns, boolean negated) throws InvalidValueException {
        List<PolicyText> texts = new ArrayList<>();
        for (String arn : arns) {
            if (!arn.equals("*") && (!arn.startsWith(ARN) || arn.length() == ARN.length())) {
                throw new InvalidValueException(
                        "has \"" + arn + "\", which is no bucket or object",
                        "write arn:aws:s3:::BUCKET for a bucket, arn:aws:s3:::BUCKET/KEY for objects, or *");
            }
            texts.add(PolicyText.pattern(arn.equals("*") ? arn : arn.substring(ARN.length())));
        }
        return bound(texts, negated, PolicyText.VariableValues.NONE);
    }

    private static ResourcePatterns bound(List<PolicyText> texts, boolean negated, PolicyText.VariableValues caller) {
        List<ResourcePattern> patterns = new ArrayList<>();
        for (PolicyText text : texts) {
            text.bound(caller).ifPresent(bound -> patterns.add(new ResourcePattern(text.toString(), bound)));
        }
        return new ResourcePatterns(texts, patterns, negated);
    }

    /** Returns the resources for a caller. A pattern with a variable without a value matches nothing. */
    ResourcePatterns boundTo(PolicyText.VariableValues caller) {
        return bound(texts, negated, caller);
    }

    Stream<PolicyText.Variable> variables() {
        return texts.stream().flatMap(text -> text.variables().stream());
    }

    /** Returns whether they are all resources but some. */
    boolean isNegated() {
        return negated;
    }

    @Override
    public boolean matches(BucketName bucket, Optional<ObjectKey> key, RequestParameters parameters) {
        for (ResourcePattern pattern : patterns) {
            if (pattern.matches(bucket, key)) {
                return !negated;
            }
        }
        return negated;
    }

    @Override
    public boolean touchesBucket(BucketName bucket) {
        return matches(bucket, Optional.empty(), RequestParameters.NONE);
    }

    @Override
    public boolean covers(BucketName bucket, String prefix) {
        return negated ? !anyTouches(bucket, prefix) : anyCovers(bucket, prefix);
    }

    @Override
    public boolean touches(BucketName bucket, String prefix) {
        return negated ? !anyCovers(bucket, prefix) : anyTouches(bucket, prefix);
    }

    @Override
    public boolean coversEverything() {
        return !negated && List.of(patterns).stream().anyMatch(ResourcePattern::coversEverything);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        // The patterns are those of the texts for one caller, whose principal has the name and the tags.
        return other instanceof ResourcePatterns that && negated == that.negated && texts.equals(that.texts);
    }

    @Override
    public int hashCode() {
        return texts.hashCode();
    }

    private boolean anyCovers(BucketName bucket, String prefix) {
        return List.of(patterns).stream().anyMatch(pattern -> pattern.covers(bucket, prefix));
    }

    private boolean anyTouches(BucketName bucket, String prefix) {
        return List.of(patterns).stream().anyMatch(pattern -> pattern.touches(bucket, prefix));
    }
}
