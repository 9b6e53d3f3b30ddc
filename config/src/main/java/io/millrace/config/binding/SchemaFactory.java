package io.millrace.config.binding;

import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates the {@link SettingSchema} of a settings record's component from its Java type. */
final class SchemaFactory {
    private final RecordComponent component;
    private final SettingDescription setting;
    private final SettingsVariantRegistry variants;

    private SchemaFactory(RecordComponent component, SettingDescription setting, SettingsVariantRegistry variants) {
        this.component = component;
        this.setting = setting;
        this.variants = variants;
    }

    /**
     * Returns the shape of {@code component}.
     *
     * @throws IllegalStateException if its type is not supported
     */
    static SettingSchema of(RecordComponent component, SettingDescription setting, SettingsVariantRegistry variants) {
        return new SchemaFactory(component, setting, variants).of(component.getGenericType());
    }

    private SettingSchema of(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic);
        }
        if (type instanceof Class<?> plain) {
            return plain(plain);
        }
        throw unsupported(type);
    }

    private SettingSchema generic(ParameterizedType type) {
        Type[] arguments = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return new OptionalSchema(of(arguments[0]));
        }
        if (type.getRawType() == List.class) {
            return new ListSchema(of(arguments[0]));
        }
        if (type.getRawType() == Map.class && arguments[0] == String.class) {
            return new MapSchema(of(arguments[1]));
        }
        throw unsupported(type);
    }

    private SettingSchema plain(Class<?> type) {
        @Nullable ValueType builtIn = BuiltInValueTypes.TYPES.get(type);
        if (builtIn != null) {
            return new ScalarSchema(builtIn);
        }
        if (type == SettingsVariant.class) {
            return VariantSchema.of(family(), variants);
        }
        if (type.isEnum()) {
            return new ScalarSchema(EnumParser.type(type));
        }
        return FactoryMethodParser.type(type, setting)
                .<SettingSchema>map(ScalarSchema::new)
                .orElseGet(() -> record(type));
    }

    private SettingSchema record(Class<?> type) {
        if (!type.isRecord()) {
            throw unsupported(type);
        }
        return new RecordSchema(type.asSubclass(Record.class), variants);
    }

    private String family() {
        @Nullable SelectedByType byType = component.getAnnotation(SelectedByType.class);
        if (byType == null) {
            throw new IllegalStateException(place() + " has no @ByType");
        }
        return byType.family();
    }

    private IllegalStateException unsupported(Type type) {
        return new IllegalStateException(place() + " is a " + type.getTypeName() + ", which no setting can be");
    }

    private String place() {
        return component.getDeclaringRecord().getName() + "." + component.getName();
    }
}
