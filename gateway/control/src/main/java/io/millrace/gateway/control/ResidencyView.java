package io.millrace.gateway.control;

import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency.FolderListing;
import io.millrace.gateway.objects.read.CacheResidency.ResidencyTotals;
import io.millrace.gateway.objects.read.CacheResidency.ScanStep;
import java.util.List;
import java.util.Optional;

/**
 * The response that reports how much of a bucket or prefix is cached, as one step of a scan found it.
 *
 * @param derivedFrom the bucket with the archives whose members are the objects of this one, and are cached as parts of
 *     them: none is counted here
 * @param objects number of objects with known metadata, which may be fewer than the bucket has
 * @param bytes size of these objects
 * @param cachedObjects number of objects with cached bytes, and of empty ones
 * @param cachedBytes size of the cached bytes
 * @param children residency of each folder and object directly below the prefix, by name; only if a delimiter was given
 * @param others residency of the children beyond the limit; only with children
 * @param read progress of the scan, 0 to 1
 * @param next the {@code from} of the next step; empty after the last
 * @param unanswered the member whose step this would be, and that did not answer: nothing of it is counted
 */
record ResidencyView(
        String bucket,
        Optional<String> derivedFrom,
        String prefix,
        long objects,
        long bytes,
        long cachedObjects,
        long cachedBytes,
        Optional<List<Child>> children,
        Optional<Remainder> others,
        double read,
        Optional<String> next,
        Optional<Unanswered> unanswered) {
    /**
     * The residency of a folder or an object.
     *
     * @param name a prefix that ends in the delimiter, or a key
     * @param folder whether it is a prefix
     */
    record Child(String name, boolean folder, long objects, long bytes, long cachedObjects, long cachedBytes) {}

    /** The residency of all children beyond the limit. */
    record Remainder(long objects, long bytes, long cachedObjects, long cachedBytes) {}

    /** A member that did not answer, and why. */
    record Unanswered(String member, String problem) {}

    static ResidencyView of(BucketView bucket, String prefix, String delimiter, ScanStep step) {
        ResidencyTotals all = step.found().all();
        return new ResidencyView(
                bucket.name().value(),
                source(bucket),
                prefix,
                all.objects(),
                all.bytes(),
                all.cachedObjects(),
                all.cached(),
                delimiter.isEmpty() ? Optional.empty() : Optional.of(children(step.found(), prefix, delimiter)),
                delimiter.isEmpty()
                        ? Optional.empty()
                        : Optional.of(remainder(step.found().others())),
                step.read(),
                step.next(),
                Optional.empty());
    }

    /** Returns the step of a member that did not answer. */
    static ResidencyView unanswered(BucketView bucket, String prefix, String delimiter, String member, String problem) {
        boolean isOfFolders = !delimiter.isEmpty();
        return new ResidencyView(
                bucket.name().value(),
                source(bucket),
                prefix,
                0,
                0,
                0,
                0,
                isOfFolders ? Optional.of(List.of()) : Optional.empty(),
                isOfFolders ? Optional.of(new Remainder(0, 0, 0, 0)) : Optional.empty(),
                1,
                Optional.empty(),
                Optional.of(new Unanswered(member, problem)));
    }

    private static Optional<String> source(BucketView bucket) {
        return bucket.transform().isPresent()
                ? Optional.empty()
                : bucket.derived().map(derived -> derived.from().value());
    }

    /** Returns this step with another progress and next step. */
    ResidencyView with(double reached, Optional<String> following) {
        return new ResidencyView(
                bucket,
                derivedFrom,
                prefix,
                objects,
                bytes,
                cachedObjects,
                cachedBytes,
                children,
                others,
                reached,
                following,
                unanswered);
    }

    private static List<Child> children(FolderListing found, String prefix, String delimiter) {
        return found.children().entrySet().stream()
                .map(child -> child(child.getKey(), isFolder(child.getKey(), prefix, delimiter), child.getValue()))
                .toList();
    }

    private static Remainder remainder(ResidencyTotals others) {
        return new Remainder(others.objects(), others.bytes(), others.cachedObjects(), others.cached());
    }

    /** A key that ends in the delimiter and equals the prefix is an object, not a folder. */
    private static boolean isFolder(String name, String prefix, String delimiter) {
        return name.endsWith(delimiter) && name.length() > prefix.length();
    }

    private static Child child(String name, boolean folder, ResidencyTotals found) {
        return new Child(name, folder, found.objects(), found.bytes(), found.cachedObjects(), found.cached());
    }
}
