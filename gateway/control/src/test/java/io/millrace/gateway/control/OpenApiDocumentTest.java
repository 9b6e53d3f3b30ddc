package io.millrace.gateway.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.millrace.config.binding.EffectiveSetting;
import io.millrace.gateway.jobs.JobTypes;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.BackendFailure;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Tests that the OpenAPI document has every handler and no other, and every field of requests and responses. */
class OpenApiDocumentTest {
    private static final JsonNode DOCUMENT =
            JsonMapper.builder().build().readTree(new String(new OpenApiController().document(), UTF_8));

    private static final Map<String, Class<? extends Record>> RECORDS = new TreeMap<>(Map.ofEntries(
            Map.entry("JobRequest", RawJobRequest.class),
            Map.entry("From", RawJobRequest.From.class),
            Map.entry("To", RawJobRequest.To.class),
            Map.entry("Shards", RawJobRequest.Shards.class),
            Map.entry("Job", JobView.class),
            Map.entry("JobEvent", JobEvent.class),
            Map.entry("Progress", JobProgress.class),
            Map.entry("JobPage", JobPage.class),
            Map.entry("ScheduleList", ScheduleView.ScheduleList.class),
            Map.entry("Schedule", ScheduleView.class),
            Map.entry("ScheduleOutcome", ScheduleOutcome.class),
            Map.entry("FailurePage", FailurePage.class),
            Map.entry("Failure", ObjectFailure.class),
            Map.entry("BucketList", BucketsController.BucketList.class),
            Map.entry("Bucket", BucketSummary.class),
            Map.entry("Freshness", BucketSummary.Freshness.class),
            Map.entry("InvalidationRequest", InvalidationRequest.class),
            Map.entry("ErrorList", ErrorsController.ErrorList.class),
            Map.entry("RequestError", ErrorsController.RequestError.class),
            Map.entry("NotificationResult", NotificationResult.class),
            Map.entry("Residency", ResidencyView.class),
            Map.entry("ResidencyUnanswered", ResidencyView.Unanswered.class),
            Map.entry("GatewayStatus", GatewayStatus.class),
            Map.entry("Alarm", Alarm.class),
            Map.entry("Acknowledgement", Alarm.Acknowledgement.class),
            Map.entry("AcknowledgementRequest", AlarmsController.AcknowledgementRequest.class),
            Map.entry("AlarmPage", AlarmsController.AlarmPage.class),
            Map.entry("CacheNumbers", GatewayStatus.CacheUsage.class),
            Map.entry("CountedNumbers", GatewayStatus.ResidencyCount.class),
            Map.entry("ReadNumbers", GatewayStatus.ReadCounts.class),
            Map.entry("SavedNumbers", GatewayStatus.SavingsSummary.class),
            Map.entry("Who", WhoAmIController.CallerIdentity.class),
            Map.entry("Session", SessionController.SessionView.class),
            Map.entry("DiskNumbers", GatewayStatus.DiskStatus.class),
            Map.entry("ScrubNumbers", GatewayStatus.ScrubStatus.class),
            Map.entry("ClusterStatus", ClusterView.class),
            Map.entry("ClusterMember", ClusterView.MemberView.class),
            Map.entry("DiskList", DisksController.DiskList.class),
            Map.entry("ResidencyChild", ResidencyView.Child.class),
            Map.entry("ResidencyOthers", ResidencyView.Remainder.class),
            Map.entry("Traffic", TrafficController.TrafficSeries.class),
            Map.entry("TrafficPoint", TrafficPoint.class),
            Map.entry("BackendList", BackendsController.BackendList.class),
            Map.entry("Backend", BackendStatus.class),
            Map.entry("BucketHealth", BucketHealth.class),
            Map.entry("BackendCallStatistics", BackendCallStatistics.class),
            Map.entry("BackendFailure", BackendFailure.class),
            Map.entry("TrafficBreakdown", TrafficBreakdown.class),
            Map.entry("TrafficLine", TrafficBreakdown.TrafficLine.class),
            Map.entry("TrafficLinePoint", TrafficBreakdown.TrafficLinePoint.class),
            Map.entry("ErrorHistory", ErrorHistory.class),
            Map.entry("ErrorLine", ErrorHistory.ErrorLine.class),
            Map.entry("ErrorPoint", ErrorHistory.ErrorPoint.class),
            Map.entry("RecentRequest", RecentRequest.class),
            Map.entry("IdentityList", IdentitiesController.IdentityList.class),
            Map.entry("Identity", IdentitiesController.IdentitySummary.class),
            Map.entry("Role", IdentitiesController.RoleSummary.class),
            Map.entry("Statement", IdentitiesController.StatementSummary.class),
            Map.entry("BucketRights", IdentitiesController.BucketRights.class),
            Map.entry("SettingList", SettingsController.SettingList.class),
            Map.entry("Setting", EffectiveSetting.class),
            Map.entry("SettingsReloadResult", SettingsReloadResult.class),
            Map.entry("SettingChange", SettingsReloadResult.Change.class),
            Map.entry("RevocationRequest", RevocationRequest.class),
            Map.entry("Revocation", RevocationView.class),
            Map.entry("RevocationList", RevocationsController.RevocationList.class),
            Map.entry("Explanation", NextGetExplanation.class),
            Map.entry("HomeState", HomeState.class),
            Map.entry("KnownObject", NextGetExplanation.KnownObject.class),
            Map.entry("Archive", ArchiveExplanation.class),
            Map.entry("Transform", TransformExplanation.class),
            Map.entry("Problem", ApiProblem.class)));

    @Test
    void everyHandlerIsInTheDocumentAndNoOther() throws Exception {
        Set<String> handlers = new TreeSet<>();
        for (JavaClass one : new ClassFileImporter().importPackages("io.millrace.gateway.control")) {
            if (one.isAnnotatedWith(RestController.class) && !one.isEquivalentTo(OpenApiController.class)) {
                handlers.addAll(handlers(Class.forName(one.getName())));
            }
        }

        Set<String> reported = new TreeSet<>();
        DOCUMENT.path("paths")
                .forEachEntry((path, item) -> item.propertyNames().stream()
                        .filter(method -> !method.equals("parameters"))
                        .forEach(method -> reported.add(method.toUpperCase(Locale.ROOT) + " /api/v1" + path)));
        assertThat(reported).isEqualTo(handlers).isNotEmpty();
    }

    /** The page for people had no alarms, and no cluster. */
    @Test
    void pageNamesEveryPath() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "jobs.md"));

        assertThat(DOCUMENT.path("paths").propertyNames()).isNotEmpty().allSatisfy(path -> {
            String shown = path.replace("{id}", "ID").replace("{number}", "N");
            String last = shown.substring(shown.lastIndexOf('/'));
            assertThat(page).as(path).containsAnyOf(" " + shown, "`" + shown, "`" + last + "`");
        });
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
    void everyRequiredPropertyIsDefined() {
        DOCUMENT.path("components")
                .path("schemas")
                .forEachEntry((name, schema) -> schema.path("required")
                        .forEach(field -> assertThat(schema.path("properties").has(field.asString()))
                                .as(name)
                                .isTrue()));
    }

    @Test
    void kindsStatesAndEventsAreAllReported() {
        JsonNode job = DOCUMENT.path("components").path("schemas").path("Job").path("properties");

        assertThat(texts(job.path("kind").path("enum"))).isEqualTo(Set.copyOf(JobTypes.words()));
        assertThat(texts(job.path("state").path("enum")))
                .isEqualTo(Arrays.stream(JobState.values()).map(JobState::text).collect(Collectors.toSet()));
        assertThat(texts(DOCUMENT.at("/components/schemas/JobEvent/properties/event/enum")))
                .isEqualTo(Arrays.stream(JobEvent.Kind.values())
                        .map(JobEvent.Kind::text)
                        .collect(Collectors.toSet()));
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
    void operationsWithBodiesDocumentTheirRefusals() {
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
