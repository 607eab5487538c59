import json, os, time, uuid
from datetime import datetime, timezone
from confluent_kafka import Consumer, Producer

brokers, campaign = os.environ["KAFKA_BROKERS"], f"first-{time.time_ns()}"
event = {
    "specversion": "1.0", "id": str(uuid.uuid4()), "source": "/shop/promotions", "subject": campaign,
    "type": "carillon.campaign.scheduled.v1", "time": datetime.now(timezone.utc).isoformat(),
    "data": {
        "serviceId": "shop-app", "name": "My first campaign",
        "audience": {"type": "USER", "to": ["vip-seoul"]},
        "message": {"default": {"content": "Hello"}},
        "delivery": {"now": True},
    },
}
producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True, "partitioner": "murmur2_random"})
producer.produce("campaign.events", json.dumps(event), key=f"shop-app/{campaign}",
                 headers={"content-type": "application/cloudevents+json"})
producer.flush()

consumer = Consumer({"bootstrap.servers": brokers, "group.id": campaign, "auto.offset.reset": "earliest"})
consumer.subscribe(["campaign.outcomes", "campaign.events.dead"])  # what became of it, and what was refused
state = None
while state not in ("completed", "expired", "canceled", "rejected"):
    record = consumer.poll(1.0)
    if record is None or record.error() or record.key() != f"shop-app/{campaign}".encode():
        continue
    outcome = json.loads(record.value())
    if record.topic() == "campaign.events.dead":
        raise SystemExit(outcome["data"]["reasons"])
    if outcome["type"].startswith("carillon.outcome.campaign."):
        state = outcome["data"]["state"]
        print(state)
consumer.close()
