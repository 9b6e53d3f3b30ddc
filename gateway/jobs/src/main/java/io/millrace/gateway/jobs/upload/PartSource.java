package io.millrace.gateway.jobs.upload;

import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.progress.TransferProgress;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.List;
import reactor.core.publisher.Mono;

/** An object that a job stores in parts, all of one version of its content. */
public interface PartSource {
    /** What it is noted under: no other object of the job has this name. */
    String name();

    /** The bucket where it goes. */
    BucketView to();

    /** Its place there, at the backend. */
    ObjectRef target();

    /** Names the version of the content. An upload of another one is not resumed. */
    String validator();

    long size();

    /** The object with all that is stored beside its bytes. */
    Mono<NewObject> described();

    /** Counts its bytes while they move. */
    TransferProgress transfer();

    /**
     * Stores one part; not to be cut off.
     *
     * @param counter counts its bytes
     */
    Mono<Part> send(MultipartUpload upload, int number, ByteRange range, TransferProgress.Part counter);

    /** Bytes that the job moves for so many of the object. */
    long moved(long bytes);

    /**
     * Looks at all parts before they become the object.
     *
     * @throws RuntimeException if the whole is not what it must be
     */
    void check(List<Part> parts);
}
