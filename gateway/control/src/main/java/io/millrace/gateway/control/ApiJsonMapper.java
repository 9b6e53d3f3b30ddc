package io.millrace.gateway.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.Nulls;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Configures Jackson for the API. Parsing is strict, because a mistyped field that is ignored, or a number taken as a
 * string, would become a job that does something else than its owner thinks.
 */
final class ApiJsonMapper {
    /** Nesting limit: the deepest request has an object in an object, and a list in that. */
    private static final int DEEPEST = 16;

    private static final int LONGEST_NUMBER = 40;

    static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxNumberLength(LONGEST_NUMBER)
                            .maxNameLength(SignedApiBodyReader.MAX_BYTES)
                            .maxStringLength(SignedApiBodyReader.MAX_BYTES)
                            .build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
            .changeDefaultPropertyInclusion(values -> values.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .build();

    private ApiJsonMapper() {}
}
