package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.ArchiveFormat;
import io.millrace.gateway.archive.ArchiveLimits;
import io.millrace.gateway.archive.ArchiveScanner;
import io.millrace.gateway.archive.MemberConsumer;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.archive.MemberIndexBuilder;
import io.millrace.kit.async.ExecutedCall;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One pass over an archive that finds its members. It reads one window after another where the scanner wants bytes:
 * in a tar a window is twice the one before while headers are close together, so that small members are streamed, and
 * the first size again after a jump, so that large ones are skipped. No byte of a tar is read twice.
 */
final class ArchiveScan {
    /** The window of a tar on disks, where a jump costs nothing. */
    static final int RESIDENT_WINDOW = 8 << 10;

    static final int FIRST_WINDOW = 64 << 10;
    static final int LARGEST_WINDOW = 64 << 20;

    /** From here on it is better to begin a request anew than to read on. */
    static final int JUMP = 2 << 20;

    private final SourceObject archive;
    private final ArchiveLimits limits;
    private final Executor sorter;
    private final ArchiveFormat format;
    private final MemberIndexBuilder members;
    private final MemberConsumer found;
    private final MetMembers met;

    /**
     * @param sorter runs what takes up to a second of one core, the index of millions of members
     * @param met is given the members of a tar as soon as they are met. The directory of a zip must be read to its end:
     *     only then it is known whether its entries overlap.
     * @throws BackendException if the archive is of a kind that is not read
     */
    ArchiveScan(SourceObject archive, ArchiveLimits limits, Executor sorter, MetMembers met) {
        this.archive = archive;
        this.sorter = sorter;
        this.limits = limits.belowKey(archive.key().getBytes(StandardCharsets.UTF_8).length);
        this.format = formatOf(archive);
        this.members = new MemberIndexBuilder(format, this.limits);
        this.met = met;
        this.found = format == ArchiveFormat.TAR ? met.into(members) : members;
    }

    private static ArchiveFormat formatOf(SourceObject archive) {
        Optional<String> whyNotRead = ArchiveFormat.whyNotRead(archive.key());
        if (whyNotRead.isPresent()) {
            throw ArchiveFailures.notRead(whyNotRead.get());
        }
        return ArchiveFormat.ofKey(archive.key()).orElseThrow();
    }

    /**
     * Returns the members; subscribed to once. Those of an archive that cannot be read to its end come with the reason;
     * fails if its bytes cannot be had.
     */
    Mono<MemberIndex> run() {
        return Mono.defer(archive::isResident)
                .flatMap(this::pass)
                .onErrorResume(ArchiveException.class, damage -> sorted(() -> members.build(damage)));
    }

    private Mono<MemberIndex> pass(boolean resident) {
        ArchiveScanner scanner = ArchiveScanner.of(format, archive.head().size(), limits, found);
        return new Pass(scanner, resident)
                .run()
                .then(verified(scanner, members::build))
                .onErrorResume(ArchiveException.class, damage -> verified(scanner, () -> members.build(damage)));
    }

    private Mono<MemberIndex> verified(ArchiveScanner scanner, Supplier<MemberIndex> build) {
        return sorted(() -> {
            scanner.verify();
            return build.get();
        });
    }

    private Mono<MemberIndex> sorted(Callable<MemberIndex> build) {
        return ExecutedCall.on(sorter, build, rejected -> rejected);
    }

    /** The state of the pass. Its steps come one after another. */
    private final class Pass {
        private final ArchiveScanner scanner;
        private final boolean resident;
        private long window;
        private long position;

        Pass(ArchiveScanner scanner, boolean resident) {
            this.scanner = scanner;
            this.resident = resident;
            this.window = resident ? RESIDENT_WINDOW : FIRST_WINDOW;
        }

        Mono<Void> run() {
            return Flux.defer(this::next).repeat(() -> !scanner.isDone()).then();
        }

        private Mono<Void> next() {
            if (scanner.isDone()) {
                return Mono.empty();
            }
            position = scanner.wanted();
            // The directory of a zip is in one piece, whose length is known.
            long length = Math.max(format == ArchiveFormat.TAR ? window : 0, scanner.wantedLength());
            ByteRange bytes = new ByteRange(position, Math.min(archive.head().size(), position + length) - 1);
            if (!resident && !archive.isHere(bytes)) {
                met.fetching();
            }
            return archive.bytes()
                    .apply(bytes)
                    .doOnNext(this::take)
                    .then(Mono.fromRunnable(() -> adapt(bytes.last() + 1)));
        }

        private void take(ByteBuf piece) {
            try {
                if (position <= scanner.wanted() && !scanner.isDone()) {
                    scanner.accept(piece.nioBuffer(), position);
                }
                position += piece.readableBytes();
            } finally {
                piece.release();
            }
        }

        private void adapt(long end) {
            if (!resident) {
                boolean isJump = scanner.wanted() - end >= JUMP;
                window = isJump ? FIRST_WINDOW : Math.min(LARGEST_WINDOW, 2 * window);
            }
        }
    }
}
