package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.fill.WrongContentException;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.DeflateDecoder;
import io.millrace.kit.async.BufferStage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * A range of the content of a deflated member, decoded on demand from the member's data. It decodes from the first byte
 * to the last one, whatever the range, and withholds the last buffer of the range until all of the content was
 * compared with what the directory says of it: what is wrong fails with a {@link WrongContentException}.
 *
 * <p>A subscriber costs a decoder, a buffer of data and two of content. It decodes {@link #PIECE} at most, less than a
 * millisecond, before other tasks of the executor have their turn.
 */
final class DecodedBody extends Flux<ByteBuf> {
    /** The largest buffer of content. */
    static final int PIECE = 64 << 10;

    private final Flux<ByteBuf> data;
    private final ArchiveMember member;
    private final ByteRange wanted;
    private final Executor executor;

    /**
     * @param data all data of the member, in buffers of a bounded size; the subscriber owns each
     * @param wanted a range of the content
     */
    DecodedBody(Flux<ByteBuf> data, ArchiveMember member, ByteRange wanted, Executor executor) {
        this.data = data;
        this.member = member;
        this.wanted = wanted;
        this.executor = executor;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        data.subscribe(new DecodingSubscriber(reader));
    }

    private final class DecodingSubscriber extends BufferStage {
        private final DeflateDecoder decoder = new DeflateDecoder(member);

        /** The buffer of data that is being decoded; after the end of the content one that is skipped. */
        private @Nullable ByteBuf input;

        /** The buffer of content that is being filled. */
        private @Nullable ByteBuf output;

        /** The last buffer of the range, until all of the content was compared. */
        private @Nullable ByteBuf last;

        DecodingSubscriber(CoreSubscriber<? super ByteBuf> reader) {
            super(reader, executor);
        }

        @Override
        protected void step(@Nullable ByteBuf piece, boolean sawEnd) {
            try {
                if (piece != null) {
                    input = piece;
                    decoder.input(piece.nioBuffer());
                }
                if (isWanted() && input != null) {
                    decode();
                }
                if (isWanted() && input == null) {
                    requestOrEnd(sawEnd);
                }
            } catch (ArchiveException wrong) {
                stop(new WrongContentException(ArchiveFailures.of(wrong)));
            } catch (RuntimeException | OutOfMemoryError failure) {
                stop(failure);
            }
        }

        @Override
        protected boolean hasMore() {
            return input != null && isWanted() && !isOver();
        }

        /** Decodes into one buffer. The last call for a buffer of data leaves room, since more may be behind it. */
        private void decode() {
            if (decoder.isFinished()) {
                releaseInput();
                return;
            }
            ByteBuf into = output();
            int bytes = decoder.decode(into.nioBuffer(into.writerIndex(), into.writableBytes()));
            into.writerIndex(into.writerIndex() + bytes);
            if (into.isWritable()) {
                releaseInput();
            }
            if (decoder.isFinished() || !into.isWritable()) {
                output = null;
                pass(into);
            }
        }

        /** Returns the buffer to fill. All bytes of one are of the range, or before or after it. */
        private ByteBuf output() {
            @Nullable ByteBuf begun = output;
            if (begun != null) {
                return begun;
            }
            long position = decoder.position();
            // One more than there are: only what is behind the last byte shows that there is nothing.
            long end = position < wanted.first()
                    ? wanted.first()
                    : position <= wanted.last() ? wanted.last() + 1 : member.size() + 1;
            int room = (int) Math.min(PIECE, end - position);
            ByteBuf begins = PooledByteBufAllocator.DEFAULT.directBuffer(room, room);
            output = begins;
            return begins;
        }

        private void pass(ByteBuf filled) {
            long end = decoder.position();
            boolean isOfRange = filled.isReadable() && end > wanted.first() && end <= wanted.last() + 1;
            if (!isOfRange) {
                filled.release();
            } else if (end > wanted.last()) {
                last = filled;
            } else {
                emit(filled);
            }
        }

        /** The data are read to their end, though nothing may be left in them: only then their source is done. */
        private void requestOrEnd(boolean sawEnd) {
            if (!sawEnd) {
                requestNext();
                return;
            }
            decoder.endOfInput();
            decoder.close();
            ByteBuf verified = Objects.requireNonNull(last);
            last = null;
            emit(verified);
            complete();
        }

        private void releaseInput() {
            @Nullable ByteBuf done = input;
            if (done != null) {
                input = null;
                done.release();
            }
        }

        @Override
        protected void release() {
            decoder.close();
            releaseInput();
            if (output != null) {
                output.release();
                output = null;
            }
            if (last != null) {
                last.release();
                last = null;
            }
        }
    }
}
