package io.millrace.gateway.control;

import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.freshness.Residents.Below;
import io.millrace.gateway.freshness.Residents.Residency;
import io.millrace.gateway.freshness.Residents.Step;
import java.util.List;
import java.util.Optional;

/**
 * How much is cached.
 *
 * @param objects of which something is known, perhaps no more than their metadata: not all that the bucket has
 * @param bytes of theirs
 * @param cachedObjects of which bytes are on a disk
 * @param cachedBytes those bytes
 * @param children the same of each folder and object right below the prefix, by name; only if a delimiter was named
 * @param others what is below the prefix and in none of the children, since there are too many; only with children
 * @param read how much has been read, 0 to 1; only if it is asked for in steps, and then all numbers are of one step
 * @param next where the next step begins; only in steps, and not behind the last
 */
record ResidencyView(
        String bucket,
        String prefix,
        long objects,
        long bytes,
        long cachedObjects,
        long cachedBytes,
        Optional<List<Child>> children,
        Optional<Others> others,
        Optional<Double> read,
        Optional<String> next) {
    /**
     * A folder or an object.
     *
     * @param name a prefix that ends in the delimiter, or a key
     * @param folder whether it is a prefix
     */
    record Child(String name, boolean folder, long objects, long bytes, long cachedObjects, long cachedBytes) {}

    /** What is not told apart. */
    record Others(long objects, long bytes, long cachedObjects, long cachedBytes) {}

    static ResidencyView of(BucketName bucket, String prefix, Step step) {
        return new ResidencyView(
                bucket.value(),
                prefix,
                step.found().objects(),
                step.found().bytes(),
                step.found().cachedObjects(),
                step.found().cached(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(step.read()),
                step.next());
    }

    static ResidencyView of(BucketName bucket, String prefix, Residency found) {
        return of(bucket, prefix, found, Optional.empty(), Optional.empty());
    }

    static ResidencyView of(BucketName bucket, String prefix, String delimiter, Below found) {
        List<Child> children = found.children().entrySet().stream()
                .map(child -> child(child.getKey(), isFolder(child.getKey(), prefix, delimiter), child.getValue()))
                .toList();
        Residency others = found.others();
        return of(
                bucket,
                prefix,
                found.all(),
                Optional.of(children),
                Optional.of(new Others(others.objects(), others.bytes(), others.cachedObjects(), others.cached())));
    }

    private static ResidencyView of(
            BucketName bucket,
            String prefix,
            Residency found,
            Optional<List<Child>> children,
            Optional<Others> others) {
        return new ResidencyView(
                bucket.value(),
                prefix,
                found.objects(),
                found.bytes(),
                found.cachedObjects(),
                found.cached(),
                children,
                others,
                Optional.empty(),
                Optional.empty());
    }

    /** Keys that end in the delimiter stand for folders themselves: right below their own prefix they are objects. */
    private static boolean isFolder(String name, String prefix, String delimiter) {
        return name.endsWith(delimiter) && name.length() > prefix.length();
    }

    private static Child child(String name, boolean folder, Residency found) {
        return new Child(name, folder, found.objects(), found.bytes(), found.cachedObjects(), found.cached());
    }
}
