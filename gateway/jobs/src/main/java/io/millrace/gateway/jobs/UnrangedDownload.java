package io.millrace.gateway.jobs;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.kit.async.DiscardedBuffers;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * Downloads content from a server without ranges in one stream, and stores it in parts, if its length is unknown or too
 * large for one write. Holds each block in memory until it is stored, because a part needs its length first. A
 * semaphore bounds the blocks held.
 */
record UnrangedDownload(StoppableWrites writes, JobUploadLifecycle uploads, FairSemaphore budget) {
    /** Downloads of a gateway that may hold a block at a time. */
    static final int BLOCKS = 8;

    /** The largest download, in bytes. */
    static final long MOST = (long) MultipartUploads.MAX_PARTS * FixedSizeBlockAssembler.SIZE;

    Mono<TaskResult> store(
            DownloadItem download, DownloadMetadata object, Flux<ByteBuf> pieces, ContentChecksums sums) {
        Flux<ByteBuf> checked = pieces.doOnNext(sums::add).concatWith(Mono.fromRunnable(sums::require));
        return budget.run(
                Party.GATEWAY,
                Flux.defer(() -> FixedSizeBlockAssembler.of(checked))
                        .switchOnFirst((first, all) -> store(download, object, first, all))
                        .contextWrite(DiscardedBuffers.RELEASED)
                        .singleOrEmpty());
    }

    private Publisher<TaskResult> store(
            DownloadItem download, DownloadMetadata object, Signal<? extends ByteBuf> first, Flux<ByteBuf> all) {
        ByteBuf block = first.get();
        if (block == null) {
            return all.then(Mono.empty());
        }
        return block.readableBytes() == FixedSizeBlockAssembler.SIZE
                ? inParts(download, object, all)
                : all.concatMap(only -> whole(download, object, only), 0);
    }

    private Mono<TaskResult> whole(DownloadItem download, DownloadMetadata object, ByteBuf all) {
        Backend backend = download.to().backend();
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        int size = all.readableBytes();
        return owned(
                        all,
                        () -> writes.fenced(
                                download.to(), download.target(), held(all, () -> backend.put(target, body(all)))))
                .map(written -> TaskResult.done(size, size));
    }

    private Mono<TaskResult> inParts(DownloadItem download, DownloadMetadata object, Flux<ByteBuf> blocks) {
        NewObject target = new NewObject(download.target(), object.fields(), WriteCondition.ALWAYS);
        AtomicLong size = new AtomicLong();
        AtomicLong number = new AtomicLong();
        return uploads.giveUp(download.name())
                .then(writes.uncut(uploads.begin(
                        download.to(), target, download.name(), "", new PartPlan(0, FixedSizeBlockAssembler.SIZE))))
                .flatMap(begun -> blocks
                        // Not numbered by Reactor: a pair that a cancelled operator discards would keep its block.
                        .concatMap(
                                block -> {
                                    size.addAndGet(block.readableBytes());
                                    return part(download, begun.upload().upload(), number.incrementAndGet(), block);
                                },
                                0)
                        .collectList()
                        .flatMap(parts -> complete(download, begun.upload().upload(), parts))
                        .onErrorResume(failure -> uploads.giveUp(download.name())
                                .onErrorComplete()
                                .then(Mono.error(failure))))
                .then(Mono.fromCallable(() -> TaskResult.done(size.get(), size.get())));
    }

    private Mono<Void> complete(DownloadItem download, MultipartUpload upload, List<CompletedPart> parts) {
        Backend backend = download.to().backend();
        return writes.uncut(writes.fenced(
                        download.to(),
                        download.target(),
                        backend.completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS))
                .then(uploads.notes().end(download.name())));
    }

    private Mono<CompletedPart> part(DownloadItem download, MultipartUpload upload, long number, ByteBuf block) {
        if (number > MultipartUploads.MAX_PARTS) {
            block.release();
            return Mono.error(FetchException.lasting(
                    "its server sends no length, and it has more than %d GiB".formatted(MOST >> 30)));
        }
        Backend backend = download.to().backend();
        return owned(
                        block,
                        () -> writes.uncut(held(
                                block, () -> backend.putPart(upload, (int) number, HeaderList.EMPTY, body(block)))))
                .map(stored -> new CompletedPart(stored.number(), stored.eTag(), HeaderList.EMPTY));
    }

    private static <T> Mono<T> owned(ByteBuf block, Supplier<Mono<T>> write) {
        return Mono.using(() -> block, own -> write.get(), ByteBuf::release);
    }

    /** Retains the block during the write, which may outlive the owner of the block. */
    private static <T> Mono<T> held(ByteBuf block, Supplier<Mono<T>> write) {
        return Mono.using(block::retain, own -> write.get(), ByteBuf::release);
    }

    private static UploadBody body(ByteBuf block) {
        return UploadBody.of(block.readableBytes(), Flux.generate(sink -> {
            if (block.isReadable()) {
                sink.next(block.readRetainedSlice(Math.min(FixedSizeBlockAssembler.PIECE, block.readableBytes())));
            } else {
                sink.complete();
            }
        }));
    }
}
