package io.millrace.loadgen;

import io.millrace.auth.UriEncoding;
import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.ByteSpan;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.PayloadSource;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.SyntheticObject;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A multipart upload of one object: its creation, its parts one after the other, and its completion. An upload that
 * fails in the middle is left to the bucket's lifecycle rules.
 */
final class MultipartOperation extends Operation {
    private static final Pattern UPLOAD_ID = Pattern.compile("<UploadId>([^<]{1,2048})</UploadId>");
    private static final int LONGEST_DOCUMENT = 64 << 10;

    private final SyntheticObject object;
    private final long partSize;
    private final List<String> etags = new ArrayList<>();
    private final StringBuilder document = new StringBuilder();
    private @Nullable S3Connection connection;
    private String uploadQuery = "";
    private String etag = "";
    private boolean isCompleting;

    MultipartOperation(SyntheticObject object, long partSize) {
        super(OperationType.MULTIPART, object.key());
        this.object = object;
        this.partSize = partSize;
    }

    @Override
    void send(S3Connection over) {
        connection = over;
        send(HttpMethod.POST, "uploads=", PayloadSource.EMPTY);
    }

    private void send(HttpMethod method, String query, PayloadSource body) {
        document.setLength(0);
        if (connection != null) {
            connection.send(new OutgoingRequest(method, object.key(), query, Map.of(), body), this);
        }
    }

    @Override
    void receiveHeaders(HttpResponse response) {
        etag = response.headers().get("etag", "");
    }

    @Override
    void receive(ByteBuf body) {
        if (document.length() < LONGEST_DOCUMENT) {
            document.append(body.toString(StandardCharsets.UTF_8));
        }
    }

    @Override
    void finish() {
        if (uploadQuery.isEmpty()) {
            readUploadId();
        } else if (isCompleting) {
            finishCompletion();
        } else {
            etags.add(etag);
            bytes = Math.min(object.size(), etags.size() * partSize);
            sendNext();
        }
    }

    private void readUploadId() {
        Matcher id = UPLOAD_ID.matcher(document);
        if (id.find()) {
            uploadQuery = "uploadId=" + UriEncoding.ofQuery(id.group(1));
            sendNext();
        } else {
            end(Outcome.REFUSED, "no upload id in the response");
        }
    }

    private void sendNext() {
        long from = etags.size() * partSize;
        if (from < object.size() || etags.isEmpty()) {
            ByteSpan part = new ByteSpan(from, Math.min(object.size(), from + partSize));
            send(
                    HttpMethod.PUT,
                    "partNumber=" + (etags.size() + 1) + '&' + uploadQuery,
                    PayloadSource.of(object, part));
        } else {
            isCompleting = true;
            send(HttpMethod.POST, uploadQuery, PayloadSource.of(completion().getBytes(StandardCharsets.UTF_8)));
        }
    }

    private String completion() {
        StringBuilder xml = new StringBuilder("<CompleteMultipartUpload>");
        for (int i = 0; i < etags.size(); i++) {
            xml.append("<Part><PartNumber>").append(i + 1).append("</PartNumber><ETag>");
            xml.append(etags.get(i).replace("\"", "&quot;")).append("</ETag></Part>");
        }
        return xml.append("</CompleteMultipartUpload>").toString();
    }

    /** A completion may fail with status 200 and an error in its body. */
    private void finishCompletion() {
        boolean isRight = document.indexOf("<Error>") < 0;
        end(isRight ? Outcome.RIGHT : Outcome.REFUSED, isRight ? "" : "the completion failed");
    }
}
