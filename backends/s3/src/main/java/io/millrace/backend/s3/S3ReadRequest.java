package io.millrace.backend.s3;

import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Converts reads to S3's requests. */
final class S3ReadRequest {
    private S3ReadRequest() {}

    /** Returns the GET or HEAD request. */
    static UnsignedRequest of(SdkHttpMethod method, SendableReadRequest read) {
        ReadRequest request = read.request();
        List<QueryParameter> query = new ArrayList<>(2);
        request.versionId().ifPresent(id -> query.add(new QueryParameter("versionId", id)));
        if (request.selection() instanceof ByteSelection.PartSelection part) {
            query.add(new QueryParameter("partNumber", String.valueOf(part.number())));
        }
        return UnsignedRequest.of(method, request.object()).withParameter(query).with(headers(read));
    }

    private static HeaderList headers(SendableReadRequest read) {
        List<HeaderField> fields = new ArrayList<>(4);
        fields.addAll(read.request().headers().fields());
        read.range().ifPresent(range -> fields.add(new HeaderField("range", range)));
        fields.addAll(read.conditions());
        if (read.request().checksums()) {
            fields.add(new HeaderField(ChecksumAlgorithm.MODE_HEADER, "ENABLED"));
        }
        return new HeaderList(fields);
    }
}
