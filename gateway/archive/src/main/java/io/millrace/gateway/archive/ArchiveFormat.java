package io.millrace.gateway.archive;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A format of archives whose members can be read alone. */
public enum ArchiveFormat {
    TAR(".tar"),
    ZIP(".zip");

    /** Suffixes of archives that are compressed as a whole: to read their last member, all of them is decompressed. */
    private static final List<String> COMPRESSED = List.of(
            ".tar.gz", ".tgz", ".tar.zst", ".tar.zstd", ".tzst", ".tar.lz4", ".tar.bz2", ".tbz2", ".tar.xz", ".txz");

    private static final List<ArchiveFormat> ALL = List.of(values());

    private final String suffix;

    ArchiveFormat(String suffix) {
        this.suffix = suffix;
    }

    /** Returns the format that the suffix of a key stands for, in upper or lower case; empty if it stands for none. */
    public static Optional<ArchiveFormat> ofKey(String key) {
        String lower = key.toLowerCase(Locale.ROOT);
        // A loop, here and below: each read of a member asks this of the archive and of each folder above it.
        for (ArchiveFormat format : ALL) {
            if (lower.endsWith(format.suffix)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /** Returns whether a key with this end, which may be shorter than a suffix, can be that of an archive. */
    public static boolean isEnd(String end) {
        String lower = end.toLowerCase(Locale.ROOT);
        return ALL.stream().anyMatch(format -> lower.endsWith(format.suffix) || format.suffix.endsWith(lower));
    }

    /**
     * Returns why the archive of a key is not read, and what to do, in a sentence for people; empty if the key is not
     * that of an archive that is compressed as a whole.
     */
    public static Optional<String> whyNotRead(String key) {
        String lower = key.toLowerCase(Locale.ROOT);
        for (String suffix : COMPRESSED) {
            if (lower.endsWith(suffix)) {
                return Optional.of(("a %s is compressed as a whole, so that no member of it can be read alone:"
                                + " decompress it once, and store it as .tar")
                        .formatted(suffix));
            }
        }
        return Optional.empty();
    }
}
