package io.millrace.gateway.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.millrace.gateway.job.Failure;
import io.millrace.gateway.job.JobKind;
import io.millrace.gateway.job.JobRequest;
import io.millrace.gateway.job.JobState;
import io.millrace.gateway.job.Progress;
import io.millrace.gateway.observe.BackendFailure;
import io.millrace.gateway.observe.BackendLoad;
import io.millrace.gateway.observe.TrafficPoint;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The document names what there is: every handler and no other, and every field of what they take and answer. */
class DocumentTest {
    private static final JsonNode DOCUMENT =
            JsonMapper.builder().build().readTree(new String(new DocumentController().document(), UTF_8));

    private static final Map<String, Class<? extends Record>> RECORDS = new TreeMap<>(Map.ofEntries(
            Map.entry("JobRequest", JobRequest.class),
            Map.entry("From", JobRequest.From.class),
            Map.entry("To", JobRequest.To.class),
            Map.entry("Job", JobView.class),
            Map.entry("Progress", Progress.class),
            Map.entry("JobPage", JobPage.class),
            Map.entry("FailurePage", FailurePage.class),
            Map.entry("Failure", Failure.class),
            Map.entry("BucketList", BucketList.class),
            Map.entry("Bucket", BucketEntry.class),
            Map.entry("Freshness", BucketEntry.Freshness.class),
            Map.entry("InvalidationRequest", InvalidationRequest.class),
            Map.entry("NotificationResult", NotificationResult.class),
            Map.entry("Listed", ListedView.class),
            Map.entry("Residency", ResidencyView.class),
            Map.entry("GatewayStatus", GatewayStatus.class),
            Map.entry("CacheNumbers", GatewayStatus.CacheNumbers.class),
            Map.entry("CountedNumbers", GatewayStatus.CountedNumbers.class),
            Map.entry("SavedNumbers", GatewayStatus.SavedNumbers.class),
            Map.entry("JobChanges", JobChanges.class),
            Map.entry("Who", WhoController.Who.class),
            Map.entry("DiskNumbers", GatewayStatus.DiskNumbers.class),
            Map.entry("ScrubNumbers", GatewayStatus.ScrubNumbers.class),
            Map.entry("DiskList", DiskList.class),
            Map.entry("ResidencyChild", ResidencyView.Child.class),
            Map.entry("ResidencyOthers", ResidencyView.Others.class),
            Map.entry("Traffic", Traffic.class),
            Map.entry("TrafficPoint", TrafficPoint.class),
            Map.entry("BackendList", BackendList.class),
            Map.entry("Backend", BackendView.class),
            Map.entry("BucketHealth", BucketHealth.class),
            Map.entry("BackendLoad", BackendLoad.class),
            Map.entry("BackendFailure", BackendFailure.class),
            Map.entry("Explanation", Explanation.class),
            Map.entry("KnownObject", Explanation.Known.class),
            Map.entry("Problem", Problem.class)));

    @Test
    void everyHandlerIsInTheDocumentAndNoOther() throws Exception {
        Set<String> handlers = new TreeSet<>();
        for (JavaClass one : new ClassFileImporter().importPackages("io.millrace.gateway.control")) {
            if (one.isAnnotatedWith(RestController.class) && !one.isEquivalentTo(DocumentController.class)) {
                handlers.addAll(handlers(Class.forName(one.getName())));
            }
        }

        Set<String> told = new TreeSet<>();
        DOCUMENT.path("paths")
                .forEachEntry((path, item) -> item.propertyNames().stream()
                        .filter(method -> !method.equals("parameters"))
                        .forEach(method -> told.add(method.toUpperCase(Locale.ROOT) + " /api/v1" + path)));
        assertThat(told).isEqualTo(handlers).isNotEmpty();
    }

    @Test
    void everyFieldIsInTheDocument() {
        JsonNode schemas = DOCUMENT.path("components").path("schemas");

        assertThat(Set.copyOf(schemas.propertyNames())).isEqualTo(RECORDS.keySet());
        RECORDS.forEach(
                (name, type) -> assertThat(schemas.path(name).path("properties").propertyNames())
                        .as(name)
                        .containsExactlyElementsOf(Arrays.stream(type.getRecordComponents())
                                .map(RecordComponent::getName)
                                .toList()));
    }

    @Test
    void whatIsRequiredIsAField() {
        DOCUMENT.path("components")
                .path("schemas")
                .forEachEntry((name, schema) -> schema.path("required")
                        .forEach(field -> assertThat(schema.path("properties").has(field.asString()))
                                .as(name)
                                .isTrue()));
    }

    @Test
    void kindsAndStatesAreAllTold() {
        JsonNode job = DOCUMENT.path("components").path("schemas").path("Job").path("properties");

        assertThat(texts(job.path("kind").path("enum")))
                .isEqualTo(Arrays.stream(JobKind.values()).map(JobKind::text).collect(Collectors.toSet()));
        assertThat(texts(job.path("state").path("enum")))
                .isEqualTo(Arrays.stream(JobState.values()).map(JobState::text).collect(Collectors.toSet()));
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        assertThat(DOCUMENT.findValues("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                DOCUMENT.at(reference.asString().substring(1)).isMissingNode())
                        .as(reference.asString())
                        .isFalse());
    }

    /** Before a handler sees it: bodies are bounded, of one kind, and few at a time. */
    @Test
    void whatABodyMayBeRefusedForIsTold() {
        DOCUMENT.path("paths")
                .forEachEntry((path, item) -> item.forEachEntry((method, operation) -> {
                    if (operation.has("requestBody")) {
                        assertThat(operation.path("responses").propertyNames())
                                .as(path)
                                .contains("413", "415", "429");
                    }
                }));
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new TreeSet<>();
        list.forEach(text -> texts.add(text.asString()));
        return texts;
    }

    private static Set<String> handlers(Class<?> controller) {
        RequestMapping root = AnnotatedElementUtils.findMergedAnnotation(controller, RequestMapping.class);
        Set<String> handlers = new TreeSet<>();
        for (Method method : controller.getDeclaredMethods()) {
            RequestMapping mapping = AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
            if (mapping != null) {
                String path =
                        (root == null ? "" : root.path()[0]) + (mapping.path().length == 0 ? "" : mapping.path()[0]);
                for (RequestMethod verb : mapping.method()) {
                    handlers.add(verb + " " + path);
                }
            }
        }
        return handlers;
    }
}
