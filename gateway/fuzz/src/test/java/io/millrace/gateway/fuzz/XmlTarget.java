package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.fuzz.FuzzRequest.What;
import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Documents: of deletes, completions, buckets, access rules and tags as clients send them, and a browser's rules as a
 * backend tells them (targets that begin with {@code /cors}). No text comes out that is not in them, and keys that are
 * deleted are those that another parser finds.
 */
final class XmlTarget extends FuzzTarget {
    private long browsers;

    @Override
    void judge(Input input) {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            read(input);
        } finally {
            System.setErr(before);
        }
        require(printed.size() == 0, "it was printed", printed);
    }

    private void read(Input input) {
        if (input.target().startsWith("/cors")) {
            gateway.tellRules(input.body());
            // What is remembered of a bucket's rules would answer for the next input.
            counted(gateway.serve(input.withBody("")
                    .withMethod("OPTIONS")
                    .withTarget("/cors-" + browsers++)
                    .withDefault("host", "a")));
            return;
        }
        Served served = counted(gateway.serve(Version4.sign(input, FuzzPrincipal.TRAINER)));
        boolean deletes = served.status() == 200
                && served.operation().filter(S3Operation.DELETE_OBJECTS::equals).isPresent();
        // What aws-chunked makes of a body is looked at elsewhere.
        boolean plain = !input.only("x-amz-content-sha256").orElse("").startsWith("STREAMING-");
        if (!deletes || !plain) {
            return;
        }
        List<String> deleted = new ArrayList<>();
        for (FuzzRequest asked : served.requested()) {
            require(asked.what() == What.DELETE, "not a delete", asked, input);
            deleted.add(asked.key());
        }
        int length = deleted.stream().mapToInt(String::length).sum();
        require(length <= input.body().length(), "more text than was sent", input);
        require(deleted.equals(keys(input.body())), "other keys", deleted, input);
    }

    /**
     * The keys that can be deleted: those that are not too long, of versions whose ids lead nowhere, on one tag if on
     * any.
     */
    private static List<String> keys(String body) {
        List<String> keys = new ArrayList<>();
        for (Node object : children(document(body).getDocumentElement(), "Object")) {
            String key = children(object, "Key").get(0).getTextContent();
            boolean isName = children(object, "VersionId").stream().noneMatch(id -> isPath(id.getTextContent()));
            boolean isTag = children(object, "ETag").stream()
                    .limit(1)
                    .allMatch(tag -> isTag(tag.getTextContent().strip()));
            if (isName && isTag && key.getBytes(StandardCharsets.UTF_8).length <= ObjectKey.MAX_BYTES) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** One tag, quoted or bare, of what a field can hold; or none, or any. */
    private static boolean isTag(String text) {
        int open = text.startsWith("W/") ? 2 : 0;
        boolean quoted = text.startsWith("\"", open) && text.endsWith("\"") && text.length() > open + 1;
        String inside = quoted ? text.substring(open + 1, text.length() - 1) : text;
        boolean plain = inside.chars().allMatch(c -> c >= ' ' && c != 0x7F && c <= 0xFF && c != '"');
        boolean bare = inside.chars().noneMatch(c -> c == ' ' || c == '*' || c == ',');
        return text.isEmpty() || text.equals("*") || (plain && (quoted || bare));
    }

    /** Some servers find versions by paths. */
    private static boolean isPath(String versionId) {
        boolean onlyDots = !versionId.isEmpty() && versionId.chars().allMatch(c -> c == '.');
        return onlyDots || versionId.chars().anyMatch(c -> c == '/' || c == '\\' || c < ' ' || c == 0x7F);
    }

    private static List<Node> children(Node parent, String name) {
        List<Node> found = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (name.equals(child.getLocalName())) {
                found.add(child);
            }
        }
        return found;
    }

    private static Document document(String body) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultNSInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new Thrown());
            return builder.parse(new ByteArrayInputStream(body.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new AssertionError("another parser refuses it: " + body, e);
        }
    }

    /** Else errors are printed. */
    private static final class Thrown implements ErrorHandler {
        @Override
        public void warning(SAXParseException e) {}

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }

        @Override
        public void fatalError(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
