package io.millrace.loadgen;

import io.millrace.auth.UriEncoding;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.SmallResponse;
import io.millrace.loadgen.client.TestObject;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists the objects below a prefix by ListObjectsV2, page by page. Blocks. */
record TestObjectLister(S3Connection connection) {
    /** Returns the query of a page of at most 1,000 keys after {@code startAfter}, which may be empty. */
    static String pageQuery(String prefix, String startAfter) {
        return "encoding-type=url&list-type=2&max-keys=1000&prefix=" + UriEncoding.ofQuery(prefix)
                + (startAfter.isEmpty() ? "" : "&start-after=" + UriEncoding.ofQuery(startAfter));
    }

    /**
     * Returns the first {@code limit} objects below {@code prefix}.
     *
     * @throws IOException if the endpoint refuses the listing or cannot be reached; the message says why
     */
    List<TestObject> list(String prefix, long limit) throws IOException, InterruptedException {
        List<TestObject> objects = new ArrayList<>();
        String token = "";
        do {
            XmlElement page = page(prefix, token);
            page.all("Contents").map(TestObjectLister::object).forEach(objects::add);
            token = page.isTrue("IsTruncated") ? page.requiredTextOf("NextContinuationToken") : "";
        } while (!token.isEmpty() && objects.size() < limit);
        return objects.size() > limit ? objects.subList(0, (int) limit) : objects;
    }

    private XmlElement page(String prefix, String token) throws IOException, InterruptedException {
        String query =
                pageQuery(prefix, "") + (token.isEmpty() ? "" : "&continuation-token=" + UriEncoding.ofQuery(token));
        SmallResponse response = SmallResponse.of(connection, OutgoingRequest.of(HttpMethod.GET, "", query, Map.of()));
        if (!response.isSuccess()) {
            throw new IOException("the listing failed: " + response.statusText());
        }
        try {
            return XmlParser.parse(response.text().getBytes(StandardCharsets.UTF_8), "ListBucketResult");
        } catch (XmlException e) {
            throw new IOException("the listing failed: " + e.getMessage(), e);
        }
    }

    private static TestObject object(XmlElement contents) {
        String key = URLDecoder.decode(contents.requiredTextOf("Key"), StandardCharsets.UTF_8);
        Optional<String> size = contents.textOf("Size");
        return TestObject.existing(key, size.map(Long::parseLong).orElse(TestObject.UNKNOWN_SIZE));
    }
}
