// Publishes a campaign over Kafka and reads what became of it: KAFKA_BROKERS.
// java -cp 'kafka-clients.jar:slf4j-api.jar' FirstCampaign.java
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class FirstCampaign {
  private static final Pattern STATE = Pattern.compile("\"type\":\"carillon\\.outcome\\.campaign\\.([a-z-]+)\\.v1\"");
  private static final List<String> LAST = List.of("completed", "expired", "canceled", "rejected");

  public static void main(String[] args) throws Exception {
    String brokers = System.getenv("KAFKA_BROKERS");
    String campaign = "first-" + System.nanoTime();
    String key = "shop-app/" + campaign;
    String event = """
        { "specversion": "1.0", "id": "%s", "source": "/shop/promotions", "subject": "%s",
          "type": "carillon.campaign.scheduled.v1", "time": "%s",
          "data": { "serviceId": "shop-app", "name": "My first campaign",
            "audience": { "type": "USER", "to": ["vip-seoul"] },
            "message": { "default": { "content": "Hello" } },
            "delivery": { "now": true } } }
        """.formatted(UUID.randomUUID(), campaign, Instant.now());

    var record = new ProducerRecord<>("campaign.events", key, event);
    record.headers().add("content-type", "application/cloudevents+json".getBytes());
    Map<String, Object> producing = Map.of("bootstrap.servers", brokers, "enable.idempotence", true);
    try (var producer = new KafkaProducer<>(producing, new StringSerializer(), new StringSerializer())) {
      producer.send(record).get();
    }

    Map<String, Object> consuming =
        Map.of("bootstrap.servers", brokers, "group.id", campaign, "auto.offset.reset", "earliest");
    try (var consumer = new KafkaConsumer<>(consuming, new StringDeserializer(), new StringDeserializer())) {
      // What became of it, and what was refused.
      consumer.subscribe(List.of("campaign.outcomes", "campaign.events.dead"));
      while (true) {
        for (var told : consumer.poll(Duration.ofSeconds(1))) {
          if (!key.equals(told.key())) continue;
          if (told.topic().equals("campaign.events.dead")) throw new IllegalStateException(told.value());
          var state = STATE.matcher(told.value());
          if (!state.find()) continue;
          System.out.println(state.group(1));
          if (LAST.contains(state.group(1))) return;
        }
      }
    }
  }
}
