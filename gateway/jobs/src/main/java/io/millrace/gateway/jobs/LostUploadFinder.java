package io.millrace.gateway.jobs;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.gateway.jobs.store.PendingUpload;
import io.millrace.gateway.objects.write.PendingUploadCreations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Finds, in the backend's list, the multipart upload that a killed job began but whose id it did not store. S3 uploads
 * cannot be marked, so an upload belongs to the intent only if no other can: it was not listed before, has no part
 * (none is sent before the id is stored), and began after the intent and before the process that stored it ended.
 *
 * @param own the job's upload; empty if there is none, or it cannot be determined
 * @param unclear uploads that may belong to the job or to a client
 */
record LostUploadFinder(Optional<MultipartUpload> own, List<ListedUpload> unclear) {
    /** The clock skew that S3 accepts between client and server. */
    private static final Duration SKEW = Duration.ofMinutes(15);

    /** The skew of clocks set by NTP, plus the rounding of times. */
    private static final Duration ROUNDING = Duration.ofSeconds(5);

    /** Returns the uploads that may belong to the intent, judged by the list only. */
    static List<ListedUpload> candidates(PendingUpload intent, List<ListedUpload> listed) {
        List<String> others = intent.others() == null ? List.of() : intent.others();
        return listed.stream()
                .filter(upload -> !others.contains(upload.upload().uploadId()))
                .filter(upload -> Duration.between(intent.intended(), upload.initiated())
                                .abs()
                                .compareTo(SKEW)
                        <= 0)
                .toList();
    }

    /**
     * Resolves an intent among uploads without parts.
     *
     * @param started the start of this process; an earlier process stored any intent from before
     */
    static LostUploadFinder of(PendingUpload intent, List<ListedUpload> candidates, Instant started) {
        return intent.others() != null
                        && candidates.size() == 1
                        && isOfTheTime(intent, candidates.get(0).initiated(), started)
                ? new LostUploadFinder(Optional.of(candidates.get(0).upload()), List.of())
                : new LostUploadFinder(Optional.empty(), candidates);
    }

    private static boolean isOfTheTime(PendingUpload intent, Instant initiated, Instant started) {
        Instant latest = intent.intended().plus(PendingUploadCreations.TIMEOUT);
        // Some servers report whole seconds; a start takes longer than one.
        Instant before = started.minusSeconds(1);
        Instant end = intent.intended().isBefore(started) && before.isBefore(latest) ? before : latest;
        return !initiated.isBefore(intent.intended().minus(ROUNDING)) && initiated.isBefore(end);
    }
}
