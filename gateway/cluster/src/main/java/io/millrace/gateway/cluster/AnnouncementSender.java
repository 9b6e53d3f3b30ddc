package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * The sender of announcements: to each member one batch at a time, again and again until it is acknowledged. What is
 * announced meanwhile is the next batch. Thread-safe; never blocks.
 */
final class AnnouncementSender {
    /** After what time a batch without an acknowledgement is sent again. */
    private static final Duration RESEND = Duration.ofMillis(500);

    private final String self;
    private final PeerNet net;
    private final PeerClock clock;
    private final Object lock;
    private final BiConsumer<PeerOutbox, AnnouncementBatch> acknowledged;
    private long batches;

    /**
     * @param self the name of this member
     * @param lock guards outboxes
     * @param acknowledged takes each batch that its member has applied; called without the lock
     */
    AnnouncementSender(
            String self,
            PeerNet net,
            PeerClock clock,
            Object lock,
            BiConsumer<PeerOutbox, AnnouncementBatch> acknowledged) {
        this.self = self;
        this.net = net;
        this.clock = clock;
        this.lock = lock;
        this.acknowledged = acknowledged;
    }

    /** Sends what a member has not acknowledged, unless a batch is on its way to it. */
    void pump(PeerOutbox box) {
        AnnouncementBatch batch;
        long attempt;
        boolean isWatched;
        synchronized (lock) {
            if (box.sending != 0 || box.session == null || box.isAcknowledged()) {
                return;
            }
            batches++;
            attempt = batches;
            box.sending = attempt;
            box.sentAt = clock.nanoTime();
            isWatched = box.watched;
            box.watched = true;
            batch = box.batch(self, box.session);
        }
        net.announce(box.member, batch).subscribe(done -> {}, failure -> {}, () -> arrived(box, batch, attempt));
        if (!isWatched) {
            watch(box, RESEND);
        }
    }

    /**
     * One timer a member, whatever is sent to it: one for each batch would wake a thread for each write, half a second
     * after it is over.
     */
    private void watch(PeerOutbox box, Duration delay) {
        clock.schedule(delay, () -> sendAgainIfLate(box));
    }

    private void sendAgainIfLate(PeerOutbox box) {
        synchronized (lock) {
            long left = box.sentAt + RESEND.toNanos() - clock.nanoTime();
            if (box.sending != 0 && left > 0) {
                watch(box, Duration.ofNanos(left));
                return;
            }
            box.watched = false;
            box.sending = 0;
        }
        pump(box);
    }

    private void arrived(PeerOutbox box, AnnouncementBatch batch, long attempt) {
        // First, or the next batch would begin with what this one had.
        acknowledged.accept(box, batch);
        synchronized (lock) {
            if (box.sending == attempt) {
                box.sending = 0;
            }
        }
        pump(box);
    }
}
