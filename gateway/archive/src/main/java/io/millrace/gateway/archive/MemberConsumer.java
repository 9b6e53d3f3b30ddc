package io.millrace.gateway.archive;

/** A receiver of what an archive is found to contain, in the order of the archive or of its directory. */
public interface MemberConsumer {
    /** Takes a member. An {@link ArchiveException} that it throws ends the scan. */
    void member(ArchiveMember member);

    /** Takes an entry that is no member. */
    void hidden(HiddenReason reason);
}
