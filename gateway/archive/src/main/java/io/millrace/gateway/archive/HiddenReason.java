package io.millrace.gateway.archive;

import java.util.Locale;

/** A reason why an entry of an archive is no member that can be read. */
public enum HiddenReason {
    /** A folder. */
    FOLDER,
    /** A symbolic link, or a further name of a file. */
    LINK,
    /** A device or a pipe. */
    DEVICE,
    /** A file with holes that are not stored. */
    SPARSE,
    /** An entry that is no file: a label, a part of a file, a list of a folder. */
    OTHER,
    /** Encrypted data. */
    ENCRYPTED,
    /** Data compressed by another method than deflate. */
    COMPRESSION,
    /** A name that begins with a slash. */
    ABSOLUTE_NAME,
    /** A name with a component {@code .} or {@code ..}. */
    RELATIVE_NAME,
    /** A name that is empty, or has an empty component. */
    EMPTY_NAME,
    /** A name with a NUL. */
    NUL_IN_NAME,
    /** A name that is not UTF-8: what it was meant to be is not known. */
    NAME_NOT_UTF8,
    /** A name longer than {@link ArchiveLimits#nameBytes()}. */
    LONG_NAME,
    /** A name that an earlier entry of the archive has. */
    DUPLICATE;

    /** Returns the reason as meters and pages write it: in lower case, with dashes. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
