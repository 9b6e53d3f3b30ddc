package io.millrace.gateway.s3.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Right;
import io.millrace.backend.testkit.GeneratedPage;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.protocol.MarshallLocation;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * Generates the table of the page on S3 compatibility from the code and the SDK's model of the API, and compares it, so
 * that no operation, header or parameter is forgotten.
 */
class CompatibilityPageTest {
    private static final Path PAGE = Path.of("../../docs/s3-compatibility.md");
    private static final String HEAD =
            "| operation | | right | action | of its headers and parameters, refused, or unknown"
                    + " |\n|---|---|---|---|---|\n";
    private static final Pattern TABLE = Pattern.compile(Pattern.quote(HEAD) + "(?:\\|.*\n)*");

    /** Fields of signatures and of HTTP, which every operation has. */
    private static final List<String> OF_ALL = List.of(
            "content-length", "host", "expect", "date", "x-amz-request-payer", "x-amz-content-sha256", "content-md5");

    /**
     * Operations that {@link KnownFieldNames} does not cover by name: they address no bucket of the gateway, or another
     * host.
     */
    private static final List<String> NEVER_FORWARDED = List.of(
            "CreateSession",
            "ListDirectoryBuckets",
            "RenameObject",
            "UpdateObjectEncryption",
            "WriteGetObjectResponse");

    @Test
    void pageListsEveryOperationOfTheCode() throws IOException {
        assertThat(Files.readString(PAGE)).containsPattern(TABLE);
        GeneratedPage.check(PAGE, page -> TABLE.matcher(page).replaceFirst(Matcher.quoteReplacement(table())));
    }

    private static String table() {
        Map<String, S3Operation> served = Arrays.stream(S3Operation.values())
                .collect(Collectors.toMap(S3Operation::wireName, Function.identity()));
        Map<String, String> rows = new TreeMap<>();
        for (S3Operation operation : S3Operation.values()) {
            if (operation.role() != S3Operation.Role.UNKNOWN) {
                rows.put(operation.wireName(), row(operation, List.of()));
            }
        }
        for (Class<?> request : requests()) {
            String name = request.getSimpleName().replaceAll("Request$", "");
            S3Operation operation = served.get(name);
            rows.put(
                    name,
                    operation == null
                            ? "| %s | %s | | | |"
                                    .formatted(name, NEVER_FORWARDED.contains(name) ? "refused" : "unknown")
                            : row(operation, refused(operation, request)));
        }
        return HEAD + String.join("\n", rows.values()) + "\n";
    }

    private static String row(S3Operation operation, List<String> refused) {
        return "| %s | %s | %s | %s | %s |"
                .formatted(
                        operation.wireName(),
                        operation.role() == S3Operation.Role.DATA ? "served" : "forwarded",
                        right(operation),
                        operation.action().map(PolicyAction::wireName).orElse(""),
                        String.join(" ", refused))
                .replace("|  |", "| |");
    }

    private static String right(S3Operation operation) {
        if (operation.level() == Level.SERVICE) {
            return "signed";
        }
        return operation.isAboutExistence()
                        || operation == S3Operation.DELETE_OBJECTS
                        || operation == S3Operation.GET_BATCH
                        || operation.action().isEmpty()
                ? "any"
                : Arrays.stream(Right.values())
                        .filter(right ->
                                right.actions().contains(operation.action().get()))
                        .map(Right::text)
                        .collect(Collectors.joining());
    }

    private static List<Class<?>> requests() {
        return Arrays.stream(S3AsyncClient.class.getMethods())
                .map(Method::getParameterTypes)
                .filter(types -> types.length > 0 && S3Request.class.isAssignableFrom(types[0]))
                .<Class<?>>map(types -> types[0])
                .distinct()
                .toList();
    }

    private static List<String> refused(S3Operation operation, Class<?> request) {
        TreeSet<String> refused = new TreeSet<>();
        for (SdkField<?> field : fields(request)) {
            String name = field.locationName();
            String lower = name.toLowerCase(Locale.ROOT);
            boolean header = field.location() == MarshallLocation.HEADER;
            boolean parameter = field.location() == MarshallLocation.QUERY_PARAM;
            boolean understood = OF_ALL.contains(lower)
                    || !(header || parameter)
                    || (header && (!lower.startsWith("x-amz-") || operation.understandsField(lower)))
                    || (parameter && (operation.hasParameter(name) || lower.startsWith("x-id")));
            if (!understood) {
                refused.add("`%s`%s".formatted(name, KnownFieldNames.contains(name) ? "" : " (unknown)"));
            }
        }
        return List.copyOf(refused);
    }

    @SuppressWarnings("unchecked")
    private static List<SdkField<?>> fields(Class<?> request) {
        try {
            // The public way to the model is a request instance, because the class of its builder is hidden.
            Field fields = request.getDeclaredField("SDK_FIELDS");
            fields.setAccessible(true);
            return (List<SdkField<?>>) fields.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no model of " + request, e);
        }
    }
}
