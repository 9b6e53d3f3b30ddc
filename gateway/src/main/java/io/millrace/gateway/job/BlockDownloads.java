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
import io.netty.buffer.ByteBuf;
import java.util.List;
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

    private final JobWrites writes;
    private final JobUploads uploads;
    private final BlockBudget budget;

    BlockDownloads(JobWrites writes, JobUploads uploads, BlockBudget budget) {
        this.writes = writes;
        this.uploads = uploads;
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
        Backend backend = download.to().backend();
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        int size = all.readableBytes();
        return owned(
                        all,
                        () -> writes.fenced(
                                download.to(), download.target(), held(all, () -> backend.put(target, body(all)))))
                .map(written -> Ended.done(size, size));
    }

    private Mono<Ended> inParts(Download download, WebObject object, Flux<ByteBuf> blocks) {
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        AtomicLong size = new AtomicLong();
        return uploads.giveUp(download.name())
                .then(writes.uncut(
                        uploads.begin(download.to(), target, download.name(), "", new PartPlan(0, Blocks.SIZE))))
                .flatMap(begun -> blocks.index()
                        .concatMap(
                                block -> {
                                    size.addAndGet(block.getT2().readableBytes());
                                    return part(download, begun.upload().upload(), block.getT1() + 1, block.getT2());
                                },
                                0)
                        .collectList()
                        .flatMap(parts -> complete(download, begun.upload().upload(), parts))
                        .onErrorResume(failure -> uploads.giveUp(download.name())
                                .onErrorComplete()
                                .then(Mono.error(failure))))
                .then(Mono.fromCallable(() -> Ended.done(size.get(), size.get())));
    }

    private Mono<Void> complete(Download download, Upload upload, List<NamedPart> parts) {
        Backend backend = download.to().backend();
        return writes.uncut(writes.fenced(
                        download.to(),
                        download.target(),
                        backend.completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS))
                .then(uploads.notes().end(download.name())));
    }

    private Mono<NamedPart> part(Download download, Upload upload, long number, ByteBuf block) {
        if (number > MultipartUploads.MAX_PARTS) {
            block.release();
            return Mono.error(FetchException.lasting(
                    "its server does not tell its length, and it has more than %d GiB".formatted(MOST >> 30)));
        }
        Backend backend = download.to().backend();
        return owned(
                        block,
                        () -> writes.uncut(held(
                                block, () -> backend.putPart(upload, (int) number, HeaderList.EMPTY, body(block)))))
                .map(stored -> new NamedPart(stored.number(), stored.eTag(), HeaderList.EMPTY));
    }

    private static <T> Mono<T> owned(ByteBuf block, Supplier<Mono<T>> write) {
        return Mono.using(() -> block, own -> write.get(), ByteBuf::release);
    }

    /** A request that is not cut off may outlive the owner of its block. */
    private static <T> Mono<T> held(ByteBuf block, Supplier<Mono<T>> write) {
        return Mono.using(block::retain, own -> write.get(), ByteBuf::release);
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
