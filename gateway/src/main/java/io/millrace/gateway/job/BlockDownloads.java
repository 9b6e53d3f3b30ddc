package io.millrace.gateway.job;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.fetch.FetchException;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.job.UploadNotes.Begun;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * Downloads of what does not tell its length, or too large a one for a single write, from servers that send no ranges: block after block, each held in
 * memory until it is stored as a part, since a part must tell its length first. How many are held at a time is bounded.
 */
final class BlockDownloads {
    /** How many downloads of a gateway hold a block. */
    static final int BLOCKS = 8;

    /** What it can bring of one URL, in bytes. */
    static final long MOST = (long) MultipartUploads.MAX_PARTS * Blocks.SIZE;

    private final ObjectWrites writes;
    private final UploadNotes notes;
    private final BlockBudget budget;

    BlockDownloads(ObjectWrites writes, UploadNotes notes, BlockBudget budget) {
        this.writes = writes;
        this.notes = notes;
        this.budget = budget;
    }

    Mono<Ended> store(Download download, WebObject object, Flux<ByteBuf> pieces, Sums sums) {
        Flux<ByteBuf> checked = pieces.doOnNext(sums::add).concatWith(Mono.fromRunnable(sums::require));
        return Mono.usingWhen(
                budget.take(),
                taken -> Blocks.of(checked)
                        .switchOnFirst((first, all) -> store(download, object, first, all))
                        .doOnDiscard(ByteBuf.class, ByteBuf::release)
                        .singleOrEmpty(),
                taken -> Mono.fromRunnable(budget::giveBack));
    }

    private Publisher<Ended> store(
            Download download, WebObject object, Signal<? extends ByteBuf> first, Flux<ByteBuf> all) {
        ByteBuf block = first.get();
        if (block == null) {
            return all.then(Mono.empty());
        }
        return block.readableBytes() == Blocks.SIZE
                ? inParts(download, object, all)
                : all.concatMap(only -> whole(download, object, only), 0);
    }

    private Mono<Ended> whole(Download download, WebObject object, ByteBuf all) {
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        int size = all.readableBytes();
        return writes.fenced(
                        download.to(),
                        download.target(),
                        owned(all, () -> download.to().backend().put(target, body(all))))
                .map(written -> Ended.done(size, size));
    }

    private Mono<Ended> inParts(Download download, WebObject object, Flux<ByteBuf> blocks) {
        Backend backend = download.to().backend();
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        AtomicLong size = new AtomicLong();
        return notes.giveUp(download)
                .then(backend.createUpload(target))
                // A kill must not leave it lying at the backend.
                .flatMap(begun -> notes.first(download, Begun.of(begun.upload()))
                        .thenMany(blocks.index()
                                .concatMap(
                                        block -> {
                                            size.addAndGet(block.getT2().readableBytes());
                                            return part(backend, begun.upload(), block.getT1() + 1, block.getT2());
                                        },
                                        0))
                        .collectList()
                        .flatMap(parts -> writes.fenced(
                                download.to(),
                                download.target(),
                                backend.completeUpload(begun.upload(), parts, HeaderList.EMPTY, WriteCondition.ALWAYS)))
                        .onErrorResume(failure ->
                                notes.giveUp(download).onErrorComplete().then(Mono.error(failure))))
                .then(notes.end(download.name()))
                .then(Mono.fromCallable(() -> Ended.done(size.get(), size.get())));
    }

    private static Mono<NamedPart> part(Backend backend, Upload upload, long number, ByteBuf block) {
        if (number > MultipartUploads.MAX_PARTS) {
            block.release();
            return Mono.error(FetchException.lasting(
                    "its server does not tell its length, and it has more than %d GiB".formatted(MOST >> 30)));
        }
        return owned(block, () -> backend.putPart(upload, (int) number, HeaderList.EMPTY, body(block)))
                .map(stored -> new NamedPart(stored.number(), stored.eTag(), HeaderList.EMPTY));
    }

    private static <T> Mono<T> owned(ByteBuf block, Supplier<Mono<T>> write) {
        return Mono.using(() -> block, held -> write.get(), ByteBuf::release);
    }

    private static UploadBody body(ByteBuf block) {
        return UploadBody.of(block.readableBytes(), Flux.generate(sink -> {
            if (block.isReadable()) {
                sink.next(block.readRetainedSlice(Math.min(Blocks.PIECE, block.readableBytes())));
            } else {
                sink.complete();
            }
        }));
    }
}
