package io.millrace.gateway.archive;

/**
 * An archive that cannot be read, or not from some byte on. It is an expected outcome and carries no stack trace; its
 * message is a sentence for people, without the byte and the archive's name.
 */
public final class ArchiveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The class of a failure. */
    public enum Kind {
        /** The archive contradicts its format or itself, from {@link ArchiveException#position()} on. */
        DAMAGED,
        /** The archive exceeds a bound of {@link ArchiveLimits}. */
        TOO_LARGE,
        /** The archive is of a kind that is not read: split into several files. */
        UNSUPPORTED
    }

    private final Kind kind;
    private final long position;

    ArchiveException(Kind kind, long position, String message) {
        super(message, null, false, false);
        this.kind = kind;
        this.position = position;
    }

    static ArchiveException damaged(long position, String message) {
        return new ArchiveException(Kind.DAMAGED, position, message);
    }

    static ArchiveException tooLarge(long position, String message) {
        return new ArchiveException(Kind.TOO_LARGE, position, message);
    }

    static ArchiveException unsupported(String message) {
        return new ArchiveException(Kind.UNSUPPORTED, 0, message);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the first byte of the archive that is wrong or too much. */
    public long position() {
        return position;
    }
}
