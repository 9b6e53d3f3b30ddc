package io.millrace.gateway.archive;

import java.nio.ByteBuffer;

/** A scanner of tars. */
final class TarScanner implements ArchiveScanner {
    TarScanner(long size, ArchiveLimits limits, MemberConsumer members) {}

    @Override
    public long wanted() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long wantedLength() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void accept(ByteBuffer bytes, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isDone() {
        throw new UnsupportedOperationException();
    }
}
