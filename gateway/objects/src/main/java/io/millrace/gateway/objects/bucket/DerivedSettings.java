package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.RefusedSettingException;
import io.millrace.gateway.archive.ArchiveFormat;
import java.util.Optional;

/**
 * The settings of a bucket whose objects are the members of archives in another one, or what a transform makes of each
 * object there. The archive of a key is its shortest beginning before a slash that {@code members} matches and that has
 * the suffix of an archive, whether it exists or not.
 */
public record DerivedSettings(
        @SettingDescription(
                value = "The bucket of this file that has the archives, or the objects to transform.",
                example = "imagenet",
                form = BucketPattern.NAME_FORM)
        BucketName from,

        @SettingDescription(
                value = "The keys there whose members are shown, if they end in .tar or .zip: * stands for any"
                        + " characters, including slashes, and ? for one.",
                defaultValue = "\"*\"",
                example = "\"**.tar\"")
        KeyPattern members,

        @SettingDescription(
                value = "What makes the objects of those of the other bucket, by its name under transforms"
                        + " (docs/transforms.md). Not together with members.",
                example = "thumb")
        Optional<String> transform) {
    /** Begins the name that stands for the backend of a derived bucket. */
    static final String PLACE = "derived:";

    private static final KeyPattern ALL = KeyPattern.parse("*");
    private static final String TRANSFORM = ".derived.transform";

    /** @throws IllegalArgumentException if the pattern is for archives that cannot be read, or for none */
    public DerivedSettings {
        if (transform.isPresent() && !members.value().equals(ALL.value())) {
            throw new RefusedSettingException(
                    "members",
                    "has no place beside 'transform'",
                    "leave one out: a transform can be of a bucket that is derived from the members of archives");
        }
        Optional<String> whyNotRead = ArchiveFormat.whyNotRead(members.value());
        if (whyNotRead.isPresent()) {
            throw new RefusedSettingException("members", "is for archives that cannot be read", whyNotRead.get());
        }
        String pattern = members.value();
        if (pattern.chars().anyMatch(c -> "{}[]".indexOf(c) >= 0)) {
            throw new RefusedSettingException(
                    "members",
                    "has a bracket, which would stand for itself",
                    "write ** for tars and zips, or a derived bucket for each pattern");
        }
        // What follows the last wildcard, or all of it.
        int end = Math.max(pattern.lastIndexOf('*'), pattern.lastIndexOf('?')) + 1;
        if (!ArchiveFormat.isEnd(pattern.substring(end))) {
            throw new RefusedSettingException(
                    "members",
                    "matches no key that ends in .tar or .zip",
                    "write which archives are shown, as **.tar, and not which files inside them");
        }
    }

    /** The settings of a bucket with the members of archives. */
    public DerivedSettings(BucketName from, KeyPattern members) {
        this(from, members, Optional.empty());
    }

    /** Returns the settings of a bucket with the members of all archives in another one. */
    public static DerivedSettings ofAll(BucketName from) {
        return new DerivedSettings(from, ALL);
    }

    /** Returns the settings of a bucket with what a transform makes of the objects of another one. */
    public static DerivedSettings ofTransform(BucketName from, String transform) {
        return new DerivedSettings(from, ALL, Optional.of(transform));
    }

    /** Returns whether a key of the source is that of an archive, perhaps one of a kind that is not read. */
    public boolean isArchive(String key) {
        return members.matches(key) && isNamedAsArchive(key);
    }

    /** Returns why no member of an archive with this key is read, and what to do; empty if they are. */
    public static Optional<String> whyNotRead(String archive) {
        return ArchiveFormat.whyNotRead(archive);
    }

    /** Returns the length of the archive's key at the beginning of a member's key; -1 if no member has this key. */
    public int archiveLength(String key) {
        for (int at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
            if (isArchive(key.substring(0, at))) {
                return at;
            }
        }
        return -1;
    }

    /** Returns how a request is refused that is on what is cached of the bucket. */
    public String whyNothingIsCached() {
        return transform
                .map(name -> ("has what the transform '%s' makes: that goes when others need its room, and is made"
                                + " anew if its version is raised")
                        .formatted(name))
                .orElseGet(this::whyNothingOfMembersIsCached);
    }

    private String whyNothingOfMembersIsCached() {
        return "is derived from '%s', whose objects are cached: name that bucket".formatted(from);
    }

    private static boolean isNamedAsArchive(String key) {
        return ArchiveFormat.ofKey(key).isPresent()
                || ArchiveFormat.whyNotRead(key).isPresent();
    }

    /**
     * Reports buckets that are derived from what has no objects of its own, also of entries that are left out because
     * of another problem.
     *
     * @param problems those of all settings
     */
    public static void check(ProblemReporter problems) {
        for (int i = 0; problems.isWritten(entry(i)); i++) {
            String key = entry(i) + ".derived.from";
            boolean isTransformed = problems.isWritten(entry(i) + TRANSFORM);
            problems.written(key)
                    .filter(BucketName::isValid)
                    .ifPresent(from -> checkSource(key, new BucketName(from), isTransformed, problems));
        }
    }

    /** @param isTransformed whether it may be derived from members, as what a transform makes may */
    private static void checkSource(String key, BucketName from, boolean isTransformed, ProblemReporter problems) {
        for (int i = 0; problems.isWritten(entry(i)); i++) {
            Optional<String> name = problems.written(entry(i) + ".name");
            if (name.isEmpty() || problems.hasProblem(entry(i) + ".name")) {
                // It may be meant to be this one.
                return;
            }
            if (BucketPattern.parse(name.get()).matches(from)) {
                boolean isDerived = problems.written(entry(i) + ".derived.from").isPresent();
                if (isDerived && !(isTransformed && !problems.isWritten(entry(i) + TRANSFORM))) {
                    problems.add(
                            key,
                            from,
                            "is a derived bucket itself",
                            "write the name of the bucket that it is derived from");
                }
                return;
            }
        }
        problems.add(key, from, "is not a bucket of this file", "write the name of the bucket that has the objects");
    }

    private static String entry(int index) {
        return "buckets[" + index + "]";
    }
}
